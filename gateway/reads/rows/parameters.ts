// Names the parameters of a statement, so that neither its text nor its callers count positions.

/** `sql` has the placeholder of each parameter; `values` brings values into their order, with null for those not given. */
export function parameters<const Name extends string>(...names: readonly Name[]) {
  const sql = Object.fromEntries(names.map((name, index) => [name, `$${index + 1}`])) as Record<Name, string>
  const values = (given: Partial<Record<Name, unknown>>): unknown[] =>
    names.map((name) => given[name] ?? null)
  return { sql, values }
}
