import { describe, expect, it } from 'vitest';
import { fill } from './messages.ts';
import { joinList, joinParts, spaced } from './spacing.ts';

describe('spacing of Chinese and Latin words', () => {
  it.each<[parts: readonly string[], text: string]>([
    [['Number', '已被使用'], 'Number 已被使用'],
    [['名称', '已被使用'], '名称已被使用'],
    [['添加', 'Größe'], '添加 Größe'],
    [['第 ', '5', '行'], '第 5 行'],
    [['`total`', '的', '𠀀'], '`total` 的𠀀'],
    [['商品', '：', 'a'], '商品：a'],
    [['', 'Order', '', '的元数据'], 'Order 的元数据'],
    [['A is ', '名称', '.'], 'A is 名称.'],
    [['X轴', '必须是数字'], 'X轴必须是数字'],
    [[], ''],
  ])('spacing stands between Chinese and Latin parts: %j', (parts, text) => {
    expect(joinParts(parts)).toBe(text);
  });

  it('spacing holds in templates, catalogues and lists, and leaves a placeholder without a value', () => {
    expect(spaced`列出${'Order'}`).toBe('列出 Order');
    expect(fill('{label}不能小于 {min}', { label: 'Amount', min: 0 })).toBe('Amount 不能小于 0');
    expect(fill('{label}不能为空', { label: '标题' })).toBe('标题不能为空');
    expect(fill('{label}不能为空', {})).toBe('{label}不能为空');
    expect(joinList('zh-CN', ['Code', 'Place'])).toBe('Code 和 Place');
    expect(joinList('en', ['Code', 'Place'])).toBe('Code and Place');
  });
});
