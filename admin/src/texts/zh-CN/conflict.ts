/** Texts of the comparison after two users changed a record. */
export const conflict = {
  lead: '您打开此表单之后，有人保存了同一条记录。您未修改的字段采用对方的值；双方都修改过的字段，请选择保留哪一个。',
  both: '双方都修改了',
  onlyMine: '仅您修改了',
  onlyTheirs: '仅对方修改了',
  mine: '您的值',
  theirs: '已保存的值',
  title: '记录已被他人修改',
  continue: '继续编辑',
};
