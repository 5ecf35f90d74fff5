/** Texts of the bar below a form. */
export const form = {
  changes: '%{smart_count} 处修改',
  errors: '%{smart_count} 处错误',
  previous: '上一处错误',
  next: '下一处错误',
  another: '保存并继续新建',
  discard: '放弃修改',
  discarded: '已放弃修改。',
  undo: '撤销',
  elsewhere: '未能保存。以下内容不在此表单中：',
  notSaved: '未能保存，已填写的内容仍在。',
  slow: '保存所需时间比平时长，请稍候…',
};
