import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { inLanguage } from './reference-chinese.ts';
import { code, page, table } from './reference-markdown.ts';

interface Alert {
  readonly alert: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
}

const file = new URL('../docs/deploy/prometheus/alerts.yml', import.meta.url);

const words = {
  en: {
    title: 'Alerts',
    lead: 'These are the alerts of [`alerts.yml`](../deploy/prometheus/alerts.yml), which is tested with `promtool`. [Metrics](metrics.md) has their figures, and [Monitor the service](../guide/monitoring.md) shows how to turn them on.',
    columns: ['alert', 'severity', 'after', 'fires when', 'instructions'],
    pages: { damage: 'damage', errors: 'errors' },
    suffix: '.md',
  },
  'zh-CN': {
    title: '告警',
    lead: '本页列出 [`alerts.yml`](../deploy/prometheus/alerts.yml) 中的告警，它们由 `promtool` 测试。所用的数值见[指标](metrics.zh-CN.md)，如何启用见[监控服务](../guide/monitoring.zh-CN.md)。告警本身的文字为英文。',
    columns: ['告警', '级别', '持续', '触发条件', '处理方法'],
    pages: { damage: '数据损坏', errors: '错误码' },
    suffix: '.zh-CN.md',
  },
} as const;

/** Instructions with links in the place of paths of pages, and of the blanks around these in Chinese. */
const withLinks = (instructions: string, locale: ServiceLocale): string => {
  const { pages, suffix } = words[locale];
  const names = Object.entries(pages);
  return names.reduce(
    (text, [name, title]) =>
      text.replaceAll(
        new RegExp(locale === 'en' ? `docs/reference/${name}\\.md` : ` ?docs/reference/${name}\\.md ?`, 'g'),
        `[${title}](${name}${suffix})`,
      ),
    instructions,
  );
};

/** The page of the alerts that docs/deploy has for Prometheus. */
export const alertsPage = (locale: ServiceLocale): string => {
  const { groups }: Rules = parse(readFileSync(file, 'utf8'));
  const text = words[locale];
  return page(
    text.title,
    text.lead,
    table(
      text.columns,
      groups
        .flatMap(({ rules }) => rules)
        .map(({ alert, for: after = '0m', labels, annotations }) => [
          code(alert),
          labels.severity,
          after,
          inLanguage(annotations.summary, locale),
          withLinks(inLanguage(annotations.description, locale), locale),
        ]),
    ),
  );
};
