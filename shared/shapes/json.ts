// SQL that builds the interface's JSON: a value stands once, whoever answers with it. Keys come out in the order
// in which they are written here.

/** An instant: UTC with exactly six fractional digits. */
export function timestampJson(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

export function objectJson(members: Record<string, string>): string {
  const list = Object.entries(members).map(([key, expression]) => `'${key}', ${expression}`)
  return `json_build_object(${list.join(', ')})`
}

/** The finished answer as text: `{"data": …}`. */
export function dataText(expression: string): string {
  return `json_build_object('data', ${expression})::text`
}

export function listJson(item: string, order: string): string {
  return `coalesce(json_agg(${item} ORDER BY ${order}), '[]')`
}
