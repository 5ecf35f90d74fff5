import type { Page } from 'playwright-core';

/** A form of the administration pages, and how one comes to have input in it that is not saved. */
export interface KnownForm {
  /** Path of its page. */
  readonly path: string;
  /** The control to press before the form is there, or another way to it; absent where the page is the form. */
  readonly opener?: string | ((page: Page) => Promise<void>);
  /** Label of the field that is typed into; opened popovers have more of them. */
  readonly field: string;
  readonly typed: string;
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** Every form by its file. One that is not here, or does not ask before it is left, fails a test. */
export const forms: Readonly<Record<string, readonly KnownForm[]>> = {
  'records/record-form.tsx': [
    { path: '/records/books/create', field: '书名', typed: '未保存的书' },
    { path: '/records/books/3', field: '书名', typed: '未保存的书' },
    {
      path: '/records/books/create',
      opener: async (page) => {
        await page.getByRole('combobox', { name: '作者' }).fill('无此作者');
        await page.getByRole('option', { name: '新建作者并选用' }).click();
      },
      field: '姓名',
      typed: '未保存的作者',
    },
  ],
  'parts/page-form.tsx': [
    { path: '/users/create', field: '用户名', typed: 'unsaved' },
    { path: '/users/3', field: '姓名', typed: '未保存' },
    { path: '/webhooks/create', field: '地址', typed: 'https://example.com/unsaved' },
    { path: '/webhooks/1', field: '地址', typed: 'https://example.com/unsaved' },
    { path: '/api_keys/create', field: '名称', typed: '未保存的密钥' },
  ],
  'parts/dialog-form.tsx': [
    { path: '/users/3/show', opener: '设置新密码', field: '新密码', typed: 'unsaved-password' },
    { path: '/roles', opener: '新建角色', field: '名称', typed: 'unsaved' },
    {
      path: '/api_keys/1',
      opener: async (page) => {
        // The key has no end yet.
        await press(page, '设置过期时间');
        await press(page, '自定义');
      },
      field: '过期时间',
      typed: '2031-05-06T07:08',
    },
    {
      path: '/api_keys/1',
      opener: async (page) => {
        await press(page, '更多操作');
        await page.getByRole('menuitem', { name: '改名' }).click();
      },
      field: '名称',
      typed: '未保存的名称',
    },
    {
      path: '/records/books?filter=%7B%22status%22%3A%22live%22%7D',
      opener: '保存为视图',
      field: '名称',
      typed: '未保存的视图',
    },
  ],
  'account/own-password-form.tsx': [{ path: '/password', field: '当前密码', typed: 'unsaved' }],
  'records/bulk-form.tsx': [
    {
      path: '/records/books',
      opener: async (page) => {
        await page.getByRole('checkbox').nth(1).check();
        await press(page, '批量修改');
        await page.getByRole('dialog').getByRole('combobox', { name: '添加要修改的字段' }).click();
        await page.getByRole('option', { name: '书名', exact: true }).click();
      },
      field: '书名',
      typed: '未保存的书名',
    },
  ],
};

/** Forms whose input is nothing that could be lost, each with the reason. */
export const formsWithoutInput: Readonly<Record<string, string>> = {
  'pages/sign-in-form.tsx': 'nobody is signed in yet, or the form stands over a page that asks itself',
  'pages/second-step.tsx': 'a code that counts once',
  'parts/condition-form.tsx': 'a condition that is whole applies however it is closed',
  'access/explain-sign-in.tsx': 'a question, which stands in the address once it is asked',
  'access/explain.tsx': 'a question, which stands in the address once it is asked',
};
