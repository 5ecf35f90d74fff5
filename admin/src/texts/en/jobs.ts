/** Texts of the page of jobs. */
export const jobs = {
  lead: 'Waiting, running and failed jobs. Finished jobs are not listed.',
  empty: 'No jobs are waiting, running or failed.',
  key: 'Key: %{key}',
  undefined: 'No file in the application defines it',
  error: 'Error',
  repeat: 'Run now',
  repeated: 'The job will run next',
  deleteTitle: 'Delete job “%{name}”?',
  deleteLead: 'The job will not run. ',
};
