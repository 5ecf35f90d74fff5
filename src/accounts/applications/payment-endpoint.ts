/**
 * Endpoint that takes a payment signed by an application and stores it once, however often the application sends it.
 */

import type { Database } from '../../database/database.ts';
import type { JsonSchema } from '../../fields/field.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import { type ApplicationCode, hookFailure } from '../../kernel/application-code.ts';
import { plainJson } from '../../kernel/exact-json.ts';
import { hasFiniteNumbers, type JsonObject, JsonText } from '../../kernel/json.ts';
import { type Locale, labelText, type Translations } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  type Idempotency,
  type IdempotentRequest,
  idempotentRequest,
  type KeptAnswer,
} from '../../ledger/idempotency.ts';
import { type Payment, type PaymentStore, paymentFingerprint } from '../../ledger/payments.ts';
import type { Scope } from '../../model/scope.ts';
import { apiArea } from '../../resources/area.ts';
import type { Acting } from '../../resources/operations.ts';
import { actingFor } from '../../resources/operations.ts';

const { integer, text, time } = valueSchemas;

const receiptSchema = objectSchema('Receipt', {
  id: integer,
  app_id: text,
  order_no: {},
  amount: {},
  currency: {},
  status: { const: 'received' },
  created_at: time,
});

const created = 201;

const inputTexts = {
  order_no: {
    'zh-CN': '所付订单的编号，原样写入回执',
    en: 'Number of the paid order, returned unchanged in the receipt',
  },
  amount: {
    'zh-CN': '金额：以最小货币单位计的整数，或十进制文本',
    en: 'An integer in the smallest unit of the currency, or a decimal as text',
  },
  currency: { 'zh-CN': '货币代码（ISO 4217）', en: 'Code of the currency (ISO 4217)' },
} as const satisfies Readonly<Record<string, Translations>>;

/**
 * Fields that applications commonly send. None of them is demanded: the body is between the application and the
 * receiver of the payment, and is kept as it came.
 */
const paymentInput = (locale: Locale): JsonSchema => ({
  type: 'object',
  properties: {
    order_no: { description: labelText(inputTexts.order_no, locale), examples: ['A-1001'] },
    amount: { description: labelText(inputTexts.amount, locale), examples: [1999] },
    currency: { description: labelText(inputTexts.currency, locale), examples: ['CNY'] },
  },
  additionalProperties: true,
});

const paymentOf = (call: Call): Payment => {
  if (call.principal.kind !== 'application') throw new Problem('forbidden');
  const body = plainJson(call.body);
  if (!hasFiniteNumbers(body)) throw new Problem('number_out_of_range');
  return {
    appId: call.principal.appId,
    timestamp: call.header('x-timestamp') ?? '',
    bytes: call.bytes,
    body,
  };
};

const toAnswer = ({ status, data }: Pick<KeptAnswer, 'status' | 'data'>): Answer => ({
  status,
  data: new JsonText(data),
});

/**
 * Hook of payments, called with a scope that acts for the application that signed. It is awaited before the payment
 * is stored; an error that it throws refuses the payment.
 */
export type PaymentHook = (
  payment: {
    readonly appId: string;
    readonly body: JsonObject;
    /** The same for each call with the same signed request, so that a repeated call can be recognised. */
    readonly fingerprint: string;
  },
  scope: Scope,
) => void | Promise<void>;

export interface PaymentParts {
  readonly database: Database;
  readonly payments: PaymentStore;
  readonly idempotency: Idempotency;
  readonly onPayment: PaymentHook | undefined;
  /** Runs the application's hook. */
  readonly code: ApplicationCode;
  readonly scopeOf: (acting: Acting) => Scope;
  readonly locale: Locale;
}

/**
 * Takes payments that an application signed and stores each once. The signature covers timestamp and body, neither
 * method nor path: this is the only endpoint of the service that takes it.
 */
export const paymentEndpoint = (services: PaymentParts): Endpoint => {
  const { database, payments, idempotency, onPayment, code, scopeOf } = services;

  const store = (payment: Payment, request: IdempotentRequest | undefined): Promise<Answer> =>
    database.write(async (transaction) => {
      const kept = request === undefined ? undefined : await idempotency.claim(transaction, request);
      if (kept !== undefined) return toAnswer(kept);
      const answer = { status: created, data: JSON.stringify(await payments.receive(transaction, payment)) };
      if (request !== undefined) await idempotency.keep(transaction, request, { ...answer, headers: {} });
      return toAnswer(answer);
    });

  const earlier = async (
    payment: Payment,
    request: IdempotentRequest | undefined,
  ): Promise<Answer | undefined> => {
    const kept = request === undefined ? undefined : await idempotency.find(request);
    if (kept !== undefined) return toAnswer(kept);
    const receipt = await payments.find(payment);
    if (receipt === undefined) return undefined;
    // A key that comes with a request of before stands for that request from now on.
    if (request !== undefined) return store(payment, request);
    return toAnswer({ status: created, data: JSON.stringify(receipt) });
  };

  /** The application's own word before anything is stored; whatever it throws is a 500. */
  const consult = async (payment: Payment, acting: Acting): Promise<void> => {
    const limit = { isOver: false };
    const scope = scopeOf({ ...acting, limit });
    try {
      const hooked = { appId: payment.appId, body: payment.body, fingerprint: paymentFingerprint(payment) };
      await code.run(
        'onPayment',
        () => onPayment?.(hooked, scope),
        () => {
          limit.isOver = true;
        },
      );
    } catch (cause) {
      throw hookFailure(cause);
    }
  };

  return {
    operation: 'createPayment',
    method: 'POST',
    path: '/api/v1/payment',
    auth: ['signature'],
    policy: { kind: 'identified' },
    accepts: 'json',
    input: paymentInput(services.locale),
    status: created,
    docs: {
      summary: { 'zh-CN': '接收支付', en: 'Receive a payment' },
      description: {
        'zh-CN':
          '任意 JSON 对象，原样保存；其中的 `order_no`、`amount`、`currency` 写入回执与后台列表。相同签名请求、或相同 Idempotency-Key 与请求体，返回首次的回执。',
        en: 'Any JSON object, stored unchanged. Its `order_no`, `amount` and `currency` are in the receipt and in the list of the administration area. The same signed request, or the same Idempotency-Key with the same body, returns the first receipt.',
      },
      tag: 'Payment',
      problems:
        onPayment === undefined ? ['number_out_of_range'] : ['number_out_of_range', 'handler_timeout'],
      data: receiptSchema,
      idempotent: true,
    },
    handle: async (call) => {
      const payment = paymentOf(call);
      const key = call.header('idempotency-key');
      const request = idempotentRequest(key, call.principal, 'POST', '/api/v1/payment', call.bytes);
      const receipt = await earlier(payment, request);
      if (receipt !== undefined) return receipt;
      if (onPayment !== undefined) await consult(payment, actingFor(call, apiArea));
      return store(payment, request);
    },
  };
};
