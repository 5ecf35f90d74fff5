import type { Peers } from '../../src/database/target.ts';

/**
 * Returns a function that adds a worker in this process. A message arrives in a later turn, as it does from another
 * process.
 */
export const peersInProcess = (): (() => Peers) => {
  const listeners = new Set<{ readonly of: Peers; readonly channel: string; readonly heard: () => void }>();
  return () => {
    const peers: Peers = {
      tell: (channel) => {
        for (const { of, channel: heardOn, heard } of listeners)
          if (of !== peers && heardOn === channel) setImmediate(heard);
      },
      listen: (channel, heard) => {
        const listener = { of: peers, channel, heard };
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    return peers;
  };
};
