// SQL: how names of places and of what can be booked are sorted for people. The interface's own listings keep their orders.

/** Numbers count by their value, wherever they stand, and letter case does not count: “desk 0.2” before “Desk 0.11”. */
export function naturalSql(name: string): string {
  return `(${name}) COLLATE natural_order`
}
