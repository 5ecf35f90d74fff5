import type { GroupQuery, GroupRequest, GroupShape } from '#model';

/** The options of an aggregate. */
export interface AggregateQuery<Shape extends GroupShape, Asked extends GroupRequest>
  extends GroupQuery<Shape, Asked> {
  /** 1 to 1,000. Without `page` and `per_page` all groups are returned, 1,000 at most. */
  readonly per_page?: number | undefined;
}
