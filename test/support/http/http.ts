// An HTTP client that compares every answer of a Berth with the OpenAPI document of that Berth.
import { expectDocumented } from './openapi.ts'

export type RequestOptions = {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  /** A raw body, for requests that are broken on purpose. */
  raw?: string | Uint8Array
  /** A form to upload. */
  form?: FormData
}

export class ApiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string

  constructor(status: number, headers: Headers, text: string) {
    this.status = status
    this.headers = headers
    this.text = text
  }

  // Tests read answers of every shape; a wrong access fails an assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get json(): any {
    return JSON.parse(this.text)
  }
}

export class Client {
  readonly url: string
  readonly token: string | undefined

  constructor(url: string, token?: string) {
    this.url = url
    this.token = token
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.ask(path, { headers })
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.ask(path, { method: 'POST', body, headers })
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.ask(path, { method: 'PATCH', body, headers })
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.ask(path, { method: 'PUT', body, headers })
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.ask(path, { method: 'DELETE', headers })
  }

  /** Imports a user list, with the other fields of its form. */
  import(
    list: string | Uint8Array,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) {
    const form = new FormData()
    form.set('file', new Blob([list]), fields.filename ?? 'users.csv')
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return this.ask('users/import', { method: 'POST', form, headers })
  }

  /** Sends a request. `path` is relative to /api/v1 unless it begins with a slash. */
  async ask(
    path: string,
    { method = 'GET', body, raw, form, headers = {} }: RequestOptions = {},
  ): Promise<ApiAnswer> {
    const address = path.startsWith('/') ? this.url + path : `${this.url}/api/v1/${path}`
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        // Compressing and decompressing every answer takes a tenth of the suite's CPU.
        'Accept-Encoding': 'identity',
        ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: form ?? raw ?? (body === undefined ? null : JSON.stringify(body)),
    })
    const answered = new ApiAnswer(response.status, response.headers, await response.text())
    await expectDocumented(this.url, method, address, answered)
    return answered
  }
}
