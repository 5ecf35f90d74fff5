/** Texts of the menu and the top bar. */
export const menu = {
  label: '主菜单',
  skip: '跳到正文',
  open: '打开菜单',
  filter: '筛选菜单',
  people: '用户与密钥',
  records: '数据',
  settings: '设置',
  watch: '监控与审计',
  light: '切换到浅色',
  dark: '切换到深色',
  account: '账号',
  language: '语言',
  theme: '外观',
  themes: {
    light: '浅色',
    dark: '深色',
    system: '跟随系统',
  },
  documentation: '接口文档',
  handbook: '使用手册',
  signOut: '退出登录',
};
