/** The Chinese texts of the frame, of lists of records and of the sign-in: they load before the first paint. */

import { explainedInChinese, problemsInChinese } from '../../../../src/kernel/messages.ts';
import { account } from './account.ts';
import { bulk } from './bulk.ts';
import { common } from './common.ts';
import { deletion } from './deletion.ts';
import { factor } from './factor.ts';
import { filter } from './filter.ts';
import { form } from './form.ts';
import { leave } from './leave.ts';
import { list } from './list.ts';
import { live } from './live.ts';
import { menu } from './menu.ts';
import { palette } from './palette.ts';
import { picker } from './picker.ts';
import { problem } from './problem.ts';
import { records } from './records.ts';
import { sessionEnd } from './session-end.ts';
import { shortcuts } from './shortcuts.ts';
import { signIn } from './sign-in.ts';
import { titles } from './titles.ts';
import { trash } from './trash.ts';
import { ungranted } from './ungranted.ts';
import { views } from './views.ts';

export const app = {
  common,
  problem,
  titles,
  menu,
  palette,
  shortcuts,
  signIn,
  account,
  list,
  bulk,
  views,
  filter,
  records,
  picker,
  deletion,
  trash,
  live,
  form,
  leave,
  sessionEnd,
  ungranted,
  factor,
};

export const others = {
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
