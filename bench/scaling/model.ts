/**
 * Computes the capacity from the cost of a request on both sides: as many requests a second as the side with less CPU
 * can handle.
 */
export interface Cost {
  /** CPU microseconds of a request in the service, and in the database. */
  readonly service: number;
  readonly database: number;
}

export interface Hardware {
  readonly instances: number;
  /** Cores that each instance may use; a process of Node uses slightly more than one. */
  readonly coresOfInstance: number;
  readonly coresOfDatabase: number;
}

/** Share of its CPU that a side can use before its queue grows without bound. */
export const usableShare = 0.95;

/** Maximum number of requests a second. */
export const capacity = (cost: Cost, { instances, coresOfInstance, coresOfDatabase }: Hardware): number =>
  Math.min(
    (instances * coresOfInstance * usableShare * 1e6) / cost.service,
    (coresOfDatabase * usableShare * 1e6) / cost.database,
  );

/** Number of instances from which the database is the bottleneck. */
export const saturation = (cost: Cost, hardware: Omit<Hardware, 'instances'>): number =>
  (hardware.coresOfDatabase / cost.database) * (cost.service / hardware.coresOfInstance);

/** The average cost of several kinds of requests by their shares, which add up to 1. */
export const mixture = (parts: readonly (readonly [share: number, cost: Cost])[]): Cost => ({
  service: parts.reduce((sum, [share, { service }]) => sum + share * service, 0),
  database: parts.reduce((sum, [share, { database }]) => sum + share * database, 0),
});
