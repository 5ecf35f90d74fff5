import { explainedInChinese, problemsInChinese } from '../../../src/kernel/messages/zh-CN.ts';
import type { Texts } from './texts.ts';
import { zhCN } from './zh-cn.ts';

/** Every text in Chinese: of these pages, of ra-core where it shows one itself, of the service where they show it. */
export const texts: Texts = {
  app: zhCN,
  ra: {
    auth: { auth_check_error: '请先登录' },
    message: { select_all_limit_reached: '项目过多，仅选中了前 %{max} 项。' },
    notification: {
      http_error: '与服务器通信出错',
      i18n_error: '无法加载所选语言',
      item_doesnt_exist: '记录不存在',
      logged_out: '登录已失效，请重新登录。',
      not_authorized: '您无权访问该资源。',
    },
  },
  service: { explained: explainedInChinese, problems: problemsInChinese },
};
