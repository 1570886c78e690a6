//! Kubernetes: manifests for `kubectl apply -f -`.
//!
//! The objects pass the schemas of Kubernetes 1.28 and 1.37 strictly; they were not run on a cluster. The coordinator
//! is a StatefulSet of one with a volume, so that it comes back under its name with its data. Workers are a Deployment
//! that is scaled: a Job with a queue of work starts no more pods once one has ended well, and idle workers leave. A
//! pod has 60 seconds to hand back its trials.

use serde_json::{Map, Value, json};

/// A cluster of pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kubernetes {
    /// Where all of it goes.
    pub namespace: Option<String>,
    /// The image, whose entry point is the program.
    pub image: String,
    /// The class of the coordinator's volume; the cluster's default if `None`.
    pub storage_class: Option<String>,
    /// Size of the coordinator's volume, as `10Gi`.
    pub storage: String,
    /// Labels that nodes of workers must have.
    pub node_selector: Vec<(String, String)>,
    /// Cores of a worker, whole ones: `guaranteed` pods get cores of their own.
    pub cpu: u32,
    /// Memory of a worker, as `2Gi`.
    pub memory: String,
}

/// What runs in the pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// A name for all of it, lower case, of at most 50 letters, digits and dashes.
    pub name: String,
    /// Arguments of the coordinator; it listens on `port` and keeps its data in [`DATA`].
    pub coordinator: Vec<String>,
    /// Arguments of a worker; the secret's files are in [`SECRETS`].
    pub worker: Vec<String>,
    /// The coordinator's port.
    pub port: u16,
    /// Files of the secret: name and text.
    pub secrets: Vec<(String, String)>,
    /// Names of those that workers see; the coordinator sees all.
    pub worker_secrets: Vec<String>,
    /// Workers at first.
    pub workers: u32,
}

/// Where the coordinator's volume is mounted.
pub const DATA: &str = "/data";
/// Where the secret's files are mounted.
pub const SECRETS: &str = "/secrets";
/// Seconds between TERM and KILL.
const GRACE_SECS: u32 = 60;

impl Kubernetes {
    /// One list of the four objects, as JSON, which is YAML, too.
    pub fn manifests(&self, deployed: &Deployed) -> String {
        let items = [self.secret(deployed), self.service(deployed), self.coordinator(deployed), self.workers(deployed)];
        format!("{:#}\n", json!({ "apiVersion": "v1", "kind": "List", "items": items }))
    }

    fn metadata(&self, name: &str, part: &str) -> Value {
        let mut metadata = json!({ "name": name, "labels": labels(name, part) });
        if let Some(namespace) = &self.namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }

    fn secret(&self, deployed: &Deployed) -> Value {
        let files: Map<String, Value> =
            deployed.secrets.iter().map(|(name, text)| (name.clone(), json!(text))).collect();
        let metadata = self.metadata(&deployed.name, "secret");
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "stringData": files })
    }

    /// The name under which workers find the coordinator: that of the set itself.
    fn service(&self, deployed: &Deployed) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": self.metadata(&deployed.name, "coordinator"),
            "spec": {
                "clusterIP": "None",
                // Workers try again for as long as it takes, so they may see it before it is ready.
                "publishNotReadyAddresses": true,
                "selector": labels(&deployed.name, "coordinator"),
                "ports": [{ "name": "grpc", "port": deployed.port }],
            },
        })
    }

    fn coordinator(&self, deployed: &Deployed) -> Value {
        let name = &deployed.name;
        let mut claim = json!({
            "metadata": { "name": "data" },
            "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": self.storage } } },
        });
        if let Some(class) = &self.storage_class {
            claim["spec"]["storageClassName"] = json!(class);
        }
        let mut pod = self.pod("coordinator", &deployed.coordinator, name);
        pod["containers"][0]["ports"] = json!([{ "name": "grpc", "containerPort": deployed.port }]);
        pod["containers"][0]["volumeMounts"] = json!([
            { "name": "data", "mountPath": DATA },
            { "name": "secrets", "mountPath": SECRETS, "readOnly": true },
        ]);
        json!({
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": self.metadata(&format!("{name}-coordinator"), "coordinator"),
            "spec": {
                "replicas": 1,
                "serviceName": name,
                "selector": { "matchLabels": labels(name, "coordinator") },
                "template": { "metadata": { "labels": labels(name, "coordinator") }, "spec": pod },
                "volumeClaimTemplates": [claim],
            },
        })
    }

    fn workers(&self, deployed: &Deployed) -> Value {
        let name = &deployed.name;
        let mut pod = self.pod("worker", &deployed.worker, name);
        let items = deployed.worker_secrets.iter().map(|file| json!({ "key": file, "path": file }));
        pod["volumes"][0]["secret"]["items"] = items.collect();
        // Equal requests and limits: the pod is the last to be evicted.
        let resources = json!({ "cpu": self.cpu.to_string(), "memory": self.memory });
        pod["containers"][0]["resources"] = json!({ "requests": resources, "limits": resources });
        pod["containers"][0]["volumeMounts"] = json!([{ "name": "secrets", "mountPath": SECRETS, "readOnly": true }]);
        if !self.node_selector.is_empty() {
            let selector: Map<String, Value> = self.node_selector.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
            pod["nodeSelector"] = json!(selector);
        }
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": self.metadata(&format!("{name}-worker"), "worker"),
            "spec": {
                "replicas": deployed.workers,
                "selector": { "matchLabels": labels(name, "worker") },
                "template": { "metadata": { "labels": labels(name, "worker") }, "spec": pod },
            },
        })
    }

    fn pod(&self, part: &str, arguments: &[String], secret: &str) -> Value {
        json!({
            "terminationGracePeriodSeconds": GRACE_SECS,
            "automountServiceAccountToken": false,
            "securityContext": { "fsGroup": 65532 },
            "containers": [{
                "name": part,
                "image": self.image,
                "args": arguments,
                "securityContext": { "runAsNonRoot": true, "runAsUser": 65532, "allowPrivilegeEscalation": false },
            }],
            "volumes": [{ "name": "secrets", "secret": { "secretName": secret, "defaultMode": 0o440 } }],
        })
    }
}

fn labels(name: &str, part: &str) -> Value {
    json!({
        "app.kubernetes.io/name": "redqueen",
        "app.kubernetes.io/instance": name,
        "app.kubernetes.io/component": part,
    })
}
