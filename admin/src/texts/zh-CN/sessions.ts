/** Texts of the page of own sessions. */
export const sessions = {
  endOthers: '退出其他会话',
  endOthersLead: '其他浏览器中的会话立即结束，所有令牌也会吊销。当前会话保留。',
  endedOthers: '其他会话已结束',
  lead: '会话闲置 2 小时或满 24 小时后结束。长期登录只要持续使用就一直有效。',
  unknownBrowser: '其他程序',
  empty: '没有会话。',
  current: '当前会话',
  remembered: '长期登录',
  end: '结束',
  endOf: '结束会话：%{browser}',
  endTitle: '结束该会话？',
  endLead: '该设备将退出管理后台。',
  endLongLead: '该设备立即退出应用。',
  ended: '会话已结束',
  endAll: '结束全部会话',
  endAllLead: '将在所有设备上退出登录，包括当前设备；全部令牌也会吊销。',
};
