/** Texts of the page of jobs. */
export const jobs = {
  lead: '等待、运行中与失败的任务。完成的任务不保留。',
  empty: '没有任务在等待、运行或失败。',
  key: '唯一键：%{key}',
  undefined: '应用中没有此任务的文件',
  error: '错误',
  repeat: '立即运行',
  repeated: '任务已排到队首',
  deleteTitle: '删除任务“%{name}”？',
  deleteLead: '任务将不再运行。',
};
