// SQL that sorts names naturally, and bookables by distance.

/** SQL that sorts names naturally. Numbers anywhere in a name sort by value, and letter case does not matter:
 * “desk 0.2” comes before “Desk 0.11”. */
export function naturalSql(name: string): string {
  return `(${name}) COLLATE natural_order`
}

/** SQL for the distance between two bookables, for sorting. It is the distance on the floor plan if both have
 * a position there. Other bookables of the same location come next, with the nearest ids first, because
 * neighbours are usually added together. Other locations come last. `plan` is the location of `wanted`. */
export function distanceSql(wanted: string, other: string, plan: string): string {
  const shape = `coalesce(${plan}.floor_plan_width::float8 / ${plan}.floor_plan_height, 1)`
  const across = (axis: 'x' | 'y') => `(${other}.position_${axis} - ${wanted}.position_${axis})::float8`
  return `CASE
    WHEN ${other}.location_id <> ${wanted}.location_id THEN 1e15 + abs(${other}.location_id - ${wanted}.location_id)
    ELSE coalesce(sqrt(power(${across('x')} * ${shape}, 2) + power(${across('y')}, 2)),
      1e6 + abs(${other}.id - ${wanted}.id)) END`
}
