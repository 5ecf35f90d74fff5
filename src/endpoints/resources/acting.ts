import type { Call } from '../../http/endpoint.ts';
import type { AreaRules } from '../../operations/area.ts';
import type { Acting } from '../../operations/transaction.ts';
import { actorOf } from '../shared.ts';

/** On whose behalf the operations of a call run. */
export const actingFor = (call: Call, area: AreaRules): Acting => ({
  principal: call.principal,
  area,
  actor: () => actorOf(call),
  by: call,
  depth: 0,
});
