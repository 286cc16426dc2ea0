// SQL: sorts names of places and bookables for people. The interface's own listings keep their orders.

/**
 * Numbers sort by value wherever they are, and letter case does not matter: “desk 0.2” before “Desk 0.11”.
 */
export function naturalSql(name: string): string {
  return `(${name}) COLLATE natural_order`
}
