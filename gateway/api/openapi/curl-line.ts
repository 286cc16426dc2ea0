// Formats an API request as a URL and as a curl command, both for the page and for its script (browser/try-it.ts).

/** The value of a file field is the name of the file. */
export type Parameter = { kind: 'path' | 'query' | 'field' | 'file'; name: string; value: string }
export type ApiRequest = {
  method: string
  path: string
  parameters: Parameter[]
  /** The JSON body, if the request has one. */
  body: string | undefined
}

/** Returns the path of the request with its parameters filled in, and the query. */
export function formatPathWithQuery({ path, parameters }: Pick<ApiRequest, 'path' | 'parameters'>): string {
  const filled = (kind: string) => parameters.filter((each) => each.kind === kind && each.value !== '')
  const full = filled('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  const query = new URLSearchParams(filled('query').map(({ name, value }): [string, string] => [name, value]))
  return full + (query.size > 0 ? `?${query}` : '')
}

export function formatCurlCommand(request: ApiRequest, baseUrl: string): string {
  const { method, parameters, body } = request
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoteForShell(body)}`]),
    ...parameters.flatMap(({ kind, name, value }) => {
      if (kind === 'file') return `-F ${quoteForShell(`${name}=@${value}`)}`
      return kind === 'field' && value !== '' ? `-F ${quoteForShell(`${name}=${value}`)}` : []
    }),
    quoteForShell(baseUrl + formatPathWithQuery(request)),
  ]
  return parts.join(' \\\n  ')
}

/** Quotes text for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
