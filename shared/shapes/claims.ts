// The claims at some time. Exclusive ones are found by the very index that keeps them apart, the shared ones of home
// offices by an index of their own; named together, neither would be used.

export const claimsOf = (condition: string): string =>
  ['bookings.exclusive', 'NOT bookings.exclusive']
    .map((kind) => `SELECT * FROM bookings WHERE ${kind} AND ${condition}`)
    .join(' UNION ALL ')
