//! Tests of the public interface.

mod catalogue;
mod coevolution;
mod driven;
mod faults;
mod format;
mod grid;
mod identity;
mod learning_faults;
mod old_names;
mod pairs;
mod seams;
mod small;
mod study;
mod study_faults;
mod tuning;
mod tuning_faults;
