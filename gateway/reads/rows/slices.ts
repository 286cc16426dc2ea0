// A slice of a list, and the total of its rows.

/** Which rows of a list a statement returns. */
export type Slice = { offset: number; limit: number }

/** Rows are counted up to this number; beyond it the page says “more than”. */
export const COUNTED_MAX = 10_000

/** The rows of a slice, and the total, which is at most one more than COUNTED_MAX. */
export type Listed<Row> = { rows: Row[]; total: number }

/** For rows that contain the total in a column `total`. */
export const toListed = <Row>(rows: Array<Row & { total: number }>) => ({ rows, total: rows[0]?.total ?? 0 })

/** SQL that counts rows, up to COUNTED_MAX + 1. `from` is the text after FROM. */
export const totalSql = (from: string) =>
  `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${COUNTED_MAX + 1}) AS counted)`
