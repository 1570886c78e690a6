//! Manifests hold together: labels, names and mounts of one object are those that the others expect.

use launch::systems::kubernetes::{DATA, Deployed, Kubernetes, SECRETS};
use serde_json::{Value, json};

fn manifests() -> Vec<Value> {
    let system = Kubernetes {
        namespace: Some("games".into()),
        image: "registry/redqueen:1".into(),
        storage_class: None,
        storage: "10Gi".into(),
        node_selector: vec![("disk".into(), "ssd".into())],
        cpu: 8,
        memory: "4Gi".into(),
    };
    let deployed = Deployed {
        name: "rq-12345678".into(),
        coordinator: vec!["coordinator".into(), "--data".into(), DATA.into()],
        worker: vec!["worker".into(), "--access".into(), SECRETS.into(), "it's: \"odd\"\n".into()],
        port: 7800,
        secrets: vec![("token".into(), "abcd\n".into()), ("worker.token".into(), "abc\n".into())],
        worker_secrets: vec!["worker.token".into()],
        workers: 3,
    };
    let list: Value = serde_json::from_str(&system.manifests(&deployed)).unwrap();
    assert_eq!((&list["apiVersion"], &list["kind"]), (&json!("v1"), &json!("List")));
    list["items"].as_array().unwrap().clone()
}

#[test]
fn the_objects_fit_together() {
    let [secret, service, coordinator, worker] = manifests().try_into().unwrap();
    let kinds = [&secret, &service, &coordinator, &worker].map(|object| object["kind"].as_str().unwrap());
    assert_eq!(kinds, ["Secret", "Service", "StatefulSet", "Deployment"]);
    for object in [&secret, &service, &coordinator, &worker] {
        assert_eq!(object["metadata"]["namespace"], "games");
    }
    assert_eq!(secret["stringData"], json!({ "token": "abcd\n", "worker.token": "abc\n" }));
    let seen = |set: &Value| set["spec"]["template"]["spec"]["volumes"][0]["secret"]["items"].clone();
    assert_eq!(seen(&worker), json!([{ "key": "worker.token", "path": "worker.token" }]));
    assert_eq!(seen(&coordinator), Value::Null, "it sees all");
    assert_eq!(coordinator["spec"]["serviceName"], service["metadata"]["name"]);
    assert_eq!(service["spec"]["selector"], coordinator["spec"]["template"]["metadata"]["labels"]);
    for set in [&coordinator, &worker] {
        assert_eq!(set["spec"]["selector"]["matchLabels"], set["spec"]["template"]["metadata"]["labels"]);
        let pod = &set["spec"]["template"]["spec"];
        assert_eq!(pod["terminationGracePeriodSeconds"], 60);
        let volumes: Vec<&Value> = pod["volumes"].as_array().unwrap().iter().map(|volume| &volume["name"]).collect();
        for mount in pod["containers"][0]["volumeMounts"].as_array().unwrap() {
            let claimed = set["spec"]["volumeClaimTemplates"][0]["metadata"]["name"] == mount["name"];
            assert!(claimed || volumes.contains(&&mount["name"]), "{mount}");
        }
        assert_eq!(pod["volumes"][0]["secret"]["secretName"], secret["metadata"]["name"]);
    }
    assert_eq!((&coordinator["spec"]["replicas"], &worker["spec"]["replicas"]), (&json!(1), &json!(3)));
    let pod = &worker["spec"]["template"]["spec"];
    assert_eq!(pod["containers"][0]["args"][3], "it's: \"odd\"\n");
    assert_eq!(pod["containers"][0]["resources"]["limits"], json!({ "cpu": "8", "memory": "4Gi" }));
    assert_eq!(pod["nodeSelector"], json!({ "disk": "ssd" }));
}

#[test]
fn no_secret_but_in_the_secret() {
    assert!(manifests()[1..].iter().all(|object| !object.to_string().contains("abc")));
}
