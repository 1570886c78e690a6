//! Tests of the games. Those of `no_alloc` count what the process allocates and are a program of their own.

mod boop_oracle;
mod boop_plain;
mod boop_rules;
mod boop_text;
mod carcassonne_flood;
mod carcassonne_oracle;
mod carcassonne_random;
mod carcassonne_text;
mod carcassonne_twin;
mod checkers_oracle;
mod checkers_rules;
mod checkers_text;
mod contract;
mod dodgem_oracle;
mod dots_and_boxes_oracle;
mod dots_and_boxes_slow;
mod dots_and_boxes_solver;
mod dots_and_boxes_text;
mod dots_and_boxes_twin;
mod encodings;
mod fop_formulas;
mod fop_oracle;
mod guided;
mod retrograde;
mod reversi_oracle;
mod spec;
