import { bare } from './bare.ts';
import { directus } from './directus.ts';
import { feathers } from './feathers.ts';
import { gatewright } from './gatewright.ts';
import { nest } from './nest.ts';
import { payload } from './payload.ts';
import type { Peer } from './peer.ts';
import { strapi } from './strapi.ts';

/** Whose figures stand beside the others'. */
export const ours: Peer = gatewright;

/** Everyone in the comparison. Adding one is its file and a line here. */
export const peers: readonly Peer[] = [ours, bare, directus, strapi, payload, feathers, nest];
