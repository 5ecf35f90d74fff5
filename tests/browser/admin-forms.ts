/** A form of the administration pages, and how one comes to have input in it that is not saved. */
export interface KnownForm {
  /** Path of its page. */
  readonly path: string;
  /** What is pressed before the form is there; absent where the page is the form. */
  readonly opener?: string;
  /** Label of the field that is typed into; opened popovers have more of them. */
  readonly field: string;
  readonly typed: string;
}

/**
 * Every form by its file. One that is not here, or does not ask before it is left, fails a test. An empty list: more than
 * one step leads to it, and what it says of its input is looked for in its source only.
 */
export const forms: Readonly<Record<string, readonly KnownForm[]>> = {
  'records/record-form.tsx': [
    { path: '/records/books/create', field: '书名', typed: '未保存的书' },
    { path: '/records/books/3', field: '书名', typed: '未保存的书' },
  ],
  'users/user-form.tsx': [
    { path: '/users/create', field: '用户名', typed: 'unsaved' },
    { path: '/users/3', field: '姓名', typed: '未保存' },
  ],
  'users/reset-password.tsx': [
    { path: '/users/3/show', opener: '重置密码', field: '新密码', typed: 'unsaved-password' },
  ],
  'webhooks/webhook-form.tsx': [
    { path: '/webhooks/create', field: '地址', typed: 'https://example.com/unsaved' },
    { path: '/webhooks/1', field: '地址', typed: 'https://example.com/unsaved' },
  ],
  'keys/new-key.tsx': [{ path: '/api_keys/create', field: '名称', typed: '未保存的密钥' }],
  'access/roles.tsx': [{ path: '/roles', opener: '新建角色', field: '名称', typed: 'unsaved' }],
  'account/own-password-form.tsx': [{ path: '/password', field: '当前密码', typed: 'unsaved' }],
  'parts/condition-form.tsx': [{ path: '/records/books', opener: '筛选', field: '值', typed: '未保存' }],
  'invitation/new-password-form.tsx': [],
  'keys/extend-key.tsx': [],
  'keys/rename-key.tsx': [],
  'parts/view-name.tsx': [],
  'records/bulk-form.tsx': [],
};

/** Forms whose input is nothing that could be lost, each with the reason. */
export const formsWithoutInput: Readonly<Record<string, string>> = {
  'pages/sign-in-form.tsx': 'nobody is signed in yet, or the form stands over a page that asks itself',
  'access/explain.tsx': 'a question, which stands in the address once it is asked',
};
