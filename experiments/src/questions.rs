//! Questions: which tests are asked of a run's results (`[[analysis]]`). Results do not depend on them, so they may
//! change when all is run.

use record::{
    Adjust, Column, ColumnType, Question, Test,
    columns::in_files,
    study::{METRICS, Metric},
};

use crate::{
    document::{Data, Entry, Node, Origin},
    fault::FaultKind,
    names::Names,
    quoted::quoted,
    reader::{Reader, Sink},
};

/// The questions as the end of a resolved text.
pub(crate) fn write(questions: &[Question]) -> String {
    let write = |question: &Question| {
        let Question { name, question, metric, test, adjust, alpha, players } = question;
        let players: Vec<String> = players.iter().map(|player| quoted(player)).collect();
        format!(
            "\n[[analysis]]\nname = {}\nquestion = {}\nmetric = {}\ntest = {}\nadjust = {}\nalpha = {alpha:?}\n\
             players = [{}]\n",
            quoted(name),
            quoted(question),
            quoted(metric),
            quoted(test.name()),
            quoted(adjust.name()),
            players.join(", ")
        )
    };
    questions.iter().map(write).collect()
}

/// Key `analysis` of a study, about the players that key `players` names. `own` are the columns that results have of the
/// game's own; questions may be about their numbers, too.
pub(crate) fn read(reader: &mut Reader<'_>, own: &[Column]) -> Option<Vec<Question>> {
    let Some(entry) = reader.optional("analysis") else { return Some(Vec::new()) };
    let sink = reader.sink;
    if matches!(entry.node.data, Data::Table(_)) {
        let hint = Some("each question has a table of its own: `[[analysis]]`".to_owned());
        sink.wrong_type(&entry.node, "analysis", "a list of tables", hint);
        return None;
    }
    let own = own.iter().filter(|column| column.kind != ColumnType::Text).map(|column| in_files(&column.name));
    let metrics: Vec<String> = METRICS.iter().map(Metric::name).chain(own).collect();
    let players: &[Entry] = match reader.optional("players").map(|entry| &entry.node.data) {
        Some(Data::Table(table)) => &table.entries,
        // Their faults are reported elsewhere.
        _ => &[],
    };
    let mut asking = Asking {
        metrics: metrics.iter().map(|metric| (metric.as_str(), metric.as_str())).collect(),
        players: players.iter().map(|entry| entry.key.as_str()).collect(),
        names: Vec::new(),
        sink,
    };
    let nodes = sink.list(&entry.node, "analysis")?;
    let questions: Vec<_> = nodes.iter().enumerate().map(|(i, node)| asking.read(i, node)).collect();
    questions.into_iter().collect()
}

/// What questions may name.
struct Asking<'a> {
    metrics: Vec<(&'a str, &'a str)>,
    players: Vec<&'a str>,
    /// Names of the questions so far.
    names: Vec<(&'a str, &'a Origin)>,
    sink: &'a Sink<'a>,
}

impl<'a> Asking<'a> {
    fn read(&mut self, index: usize, node: &'a Node) -> Option<Question> {
        let (sink, path) = (self.sink, format!("analysis[{index}]"));
        let table = sink.table(node, &path)?;
        let mut reader = Reader::new(table, &node.origin, &path, sink);
        let name = reader.required("name", "names its tables").and_then(|entry| self.name(entry, &reader.path("name")));
        let question = reader.required("question", "what is asked, for people");
        let question = question.and_then(|entry| sink.text(&entry.node, &reader.path("question")));
        let metric = reader.required("metric", "a column of the results: `points`");
        let metric = metric.and_then(|entry| sink.choice(&entry.node, &reader.path("metric"), "metric", &self.metrics));
        let entry = reader.required("test", "which test answers it: `mann-whitney`");
        let test = entry.and_then(|entry| sink.choice(&entry.node, &reader.path("test"), "test", &Test::ALL));
        let adjust = match reader.optional("adjust") {
            Some(entry) => sink.choice(&entry.node, &reader.path("adjust"), "adjustment", &Adjust::ALL),
            None => Some(Adjust::Holm),
        };
        let alpha = alpha(&mut reader);
        let players = self.players(&mut reader, entry, test);
        reader.finish();
        Some(Question {
            name: name?,
            question: question?.to_owned(),
            metric: metric?.to_owned(),
            test: test?,
            adjust: adjust?,
            alpha: alpha?,
            players: players?,
        })
    }

    fn name(&mut self, entry: &'a Entry, key: &str) -> Option<String> {
        let name = self.sink.text(&entry.node, key)?;
        let origin = &entry.node.origin;
        self.sink.check_name(name, origin, key);
        match self.names.iter().find(|(known, _)| *known == name) {
            Some((_, earlier)) => {
                let kind = FaultKind::DuplicateName { name: name.to_owned(), line: self.sink.line(earlier) };
                let hint = Some("a name is that of the question's tables".to_owned());
                self.sink.push(kind, origin, key, hint);
            }
            None => self.names.push((name, origin)),
        }
        Some(name.to_owned())
    }

    /// Players whose results are tested: as many as the test takes, which `test_entry` names.
    fn players(&self, reader: &mut Reader<'_>, test_entry: Option<&Entry>, test: Option<Test>) -> Option<Vec<String>> {
        let (sink, key) = (self.sink, reader.path("players"));
        let given = reader.optional("players");
        if self.players.is_empty() {
            // That the file has none is reported elsewhere.
            return None;
        }
        let (players, place, key) = match given {
            None => (self.players.iter().map(|&player| player.to_owned()).collect(), test_entry, reader.path("test")),
            Some(entry) => {
                let names = Names::new(self.players.iter().copied(), sink);
                let list = names.list(&entry.node, &key)?;
                let players: Vec<_> = list.into_iter().map(|player| names.name(player).to_owned()).collect();
                (players, Some(entry), key)
            }
        };
        let (needed, found) = (test.map_or(1, Test::players_min), players.len());
        if found < needed {
            let hint = test.map(|test| match (test.name(), needed) {
                (test, 1) => format!("`{test}` looks at each of them"),
                (test, 2) => format!("`{test}` compares them"),
                (test, _) => format!("`{test}` compares all at once; `wilcoxon` compares two"),
            });
            let kind = FaultKind::TooFew { what: "players", needed, found };
            sink.push(kind, &place?.node.origin, &key, hint);
            return None;
        }
        Some(players)
    }
}

/// Key `alpha`: above 0 and below 1.
fn alpha(reader: &mut Reader<'_>) -> Option<f64> {
    let alpha = reader.real_or("alpha", 0.05, 0.0..=1.0)?;
    if alpha > 0.0 && alpha < 1.0 {
        return Some(alpha);
    }
    if let Some(entry) = reader.optional("alpha") {
        let (low, high) = ("above 0".to_owned(), "below 1".to_owned());
        let kind = FaultKind::OutOfRange { value: alpha.to_string(), low, high };
        reader.sink.push(kind, &entry.node.origin, &reader.path("alpha"), None);
    }
    None
}
