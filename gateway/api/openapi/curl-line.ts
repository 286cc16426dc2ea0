// An API request as an address and as a curl command, on the page and in its script (browser/try-it.ts).

/** The value of a file field is the name of the file. */
export type Parameter = { kind: 'path' | 'query' | 'field' | 'file'; name: string; value: string }
export type ApiRequest = {
  method: string
  path: string
  parameters: Parameter[]
  /** The JSON body, if the request has one. */
  body: string | undefined
}

/** The path with its parameters and the query. */
export function addressOf({ path, parameters }: Pick<ApiRequest, 'path' | 'parameters'>): string {
  const filled = (kind: string) => parameters.filter((each) => each.kind === kind && each.value !== '')
  const full = filled('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  const query = new URLSearchParams(filled('query').map(({ name, value }): [string, string] => [name, value]))
  return full + (query.size > 0 ? `?${query}` : '')
}

export function curlLine(request: ApiRequest, baseUrl: string): string {
  const { method, parameters, body } = request
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quote(body)}`]),
    ...parameters.flatMap(({ kind, name, value }) => {
      if (kind === 'file') return `-F ${quote(`${name}=@${value}`)}`
      return kind === 'field' && value !== '' ? `-F ${quote(`${name}=${value}`)}` : []
    }),
    quote(baseUrl + addressOf(request)),
  ]
  return parts.join(' \\\n  ')
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
