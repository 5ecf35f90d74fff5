/** Names of the icons of models in the menu of the administration area, in alphabetical order. */
export const iconNames = [
  ...['archive', 'article', 'badge', 'bank', 'bell', 'book', 'box', 'briefcase', 'bug', 'building'],
  ...['calendar', 'camera', 'cart', 'chart', 'chat', 'check', 'clock', 'cloud', 'code', 'document'],
  ...['flag', 'flask', 'folder', 'food', 'gift', 'globe', 'heart', 'home', 'image', 'key', 'layers'],
  ...['link', 'list', 'lock', 'mail', 'money', 'music', 'note', 'people', 'person', 'phone', 'pin'],
  ...['receipt', 'school', 'settings', 'shield', 'star', 'store', 'tag', 'task', 'ticket', 'tool'],
  ...['truck', 'video', 'wallet'],
] as const;

export type IconName = (typeof iconNames)[number];
