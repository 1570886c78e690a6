//! Decides when to ask for jobs, which to give up, and when a launch is over.
