/**
 * What a request costs on both sides, and what follows from it: as many requests a second as the side that is short of
 * CPU has time for.
 */
export interface Cost {
  /** CPU microseconds of a request in the service, and in the database. */
  readonly service: number;
  readonly database: number;
}

export interface Hardware {
  readonly instances: number;
  /** Cores that each instance may use; a process of Node uses one and a little. */
  readonly coresOfInstance: number;
  readonly coresOfDatabase: number;
}

/** Share of its CPU that a side gives before its queue grows without end; what is beyond it is latency only. */
export const usable = 0.95;

/** Requests a second at most. */
export const capacity = (cost: Cost, { instances, coresOfInstance, coresOfDatabase }: Hardware): number =>
  Math.min(
    (instances * coresOfInstance * usable * 1e6) / cost.service,
    (coresOfDatabase * usable * 1e6) / cost.database,
  );

/** The number of instances from which on another one brings nothing: the database is busy. */
export const saturation = (cost: Cost, hardware: Omit<Hardware, 'instances'>): number =>
  (hardware.coresOfDatabase / cost.database) * (cost.service / hardware.coresOfInstance);

/** The cost of a request that is one of several kinds, each with its share; shares add up to 1. */
export const mixture = (parts: readonly (readonly [share: number, cost: Cost])[]): Cost => ({
  service: parts.reduce((sum, [share, { service }]) => sum + share * service, 0),
  database: parts.reduce((sum, [share, { database }]) => sum + share * database, 0),
});
