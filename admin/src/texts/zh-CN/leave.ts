/** Texts of the question before unsaved changes are lost. */
export const leave = {
  title: '放弃未保存的修改？',
  lead: '此页有尚未保存的内容，离开后将会丢失。',
  stay: '继续编辑',
  leave: '不保存并离开',
};
