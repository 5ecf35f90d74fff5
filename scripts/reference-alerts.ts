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
    lead: 'These are the alerts of [`alerts.yml`](../deploy/prometheus/alerts.yml), with instructions in each `description`. [Monitor the service](../guide/monitoring.md) shows how to turn them on.',
    columns: ['alert', 'severity', 'after', 'fires when'],
  },
  'zh-CN': {
    title: '告警',
    lead: '本页列出 [`alerts.yml`](../deploy/prometheus/alerts.yml) 中的告警。如何启用见[监控服务](../guide/monitoring.zh-CN.md)。告警本身的文字为英文。',
    columns: ['告警', '级别', '持续', '触发条件', '处理方法'],
  },
} as const;

/** Titles of the pages that instructions name. */
const pages: Readonly<Record<string, string>> = { damage: '数据损坏', errors: '错误码' };

/** Instructions with links in the place of paths of pages, and of the blanks around these. */
const withLinks = (instructions: string): string =>
  Object.entries(pages).reduce(
    (text, [name, title]) =>
      text.replaceAll(new RegExp(` ?docs/reference/${name}\\.md ?`, 'g'), `[${title}](${name}.zh-CN.md)`),
    instructions,
  );

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
          // The alert itself has its instructions in English.
          ...(locale === 'en' ? [] : [withLinks(inLanguage(annotations.description, locale))]),
        ]),
    ),
  );
};
