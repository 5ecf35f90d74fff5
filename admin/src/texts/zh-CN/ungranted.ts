/** Texts where a permission is missing. */
export const ungranted = {
  create: '您的角色（%{roles}）无权新建%{label}。',
  update: '您的角色（%{roles}）无权编辑%{label}。',
  destroy: '您的角色（%{roles}）无权删除%{label}。',
  read: '您的角色（%{roles}）无权查看%{label}。',
  restore: '恢复到旧版本即为编辑，您的角色（%{roles}）无权编辑%{label}。',
  bringBack: '恢复所需的权限与新建相同，您的角色（%{roles}）无权新建%{label}。',
  where: '可在此处查看与授予：',
};
