/** Texts of the page about the service. */
export const about = {
  lead: '响应此请求的进程的版本与设置。机密只显示是否已设置。',
  application: '应用',
  environment: '环境',
  database: '数据库',
  started: '启动于',
  settings: '设置',
  set: '已设置',
  unset: '未设置',
  providers: '身份提供方',
  responds: '响应正常',
};
