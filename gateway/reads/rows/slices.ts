// A slice of a list, with the total number of rows.

/** Which rows of a list a statement returns. */
export type Slice = { offset: number; limit: number }

/** Rows are counted only up to this number. If there are more, the page says “more than”. */
export const COUNTED_ROWS_MAX = 10_000

/** The rows of a slice, with the total, which is at most COUNTED_MAX + 1. */
export type RowsWithTotal<Row> = { rows: Row[]; total: number }

/** Splits rows with the total in a column `total` into the rows and the total. */
export const toRowsWithTotal = <Row>(rows: Array<Row & { total: number }>) => ({
  rows,
  total: rows[0]?.total ?? 0,
})

/** Returns SQL that counts rows, up to COUNTED_MAX + 1. `from` is the text after FROM. */
export const totalSql = (from: string) =>
  `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${COUNTED_ROWS_MAX + 1}) AS counted)`
