// Names the parameters of a statement, so that neither the statement's text nor its callers have to count
// positions.

/** Returns `sql`, which contains the placeholder of each parameter, and `values`, which puts the parameters
 * in order, with null for parameters that are not given. */
export function nameSqlParameters<const Name extends string>(...names: readonly Name[]) {
  const sql = Object.fromEntries(names.map((name, index) => [name, `$${index + 1}`])) as Record<Name, string>
  const values = (given: Partial<Record<Name, unknown>>): unknown[] =>
    names.map((name) => given[name] ?? null)
  return { sql, values }
}
