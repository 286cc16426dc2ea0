// A browser without a screen: keeps cookies, follows redirects, and fills in forms as a person does, by what
// stands in the page.
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Role } from '../../../shared/administrators/roles.ts'
import { useWith } from '../use.ts'
import { createCheapAdmin } from './administrators.ts'

export type Visit = { status: number; headers: Headers; text: string; path: string }

type Control = { name: string; value: string; type: string; checked: boolean; options: string[] }
export type Form = {
  address: string
  method: string
  encoding: string
  controls: Control[]
  /** The text of its buttons. */
  buttons: string[]
  /** By the text of a button that sends it elsewhere. */
  addresses: Record<string, string>
}
type Filled = Record<string, string | string[] | Blob | undefined>
type Sent = { headers?: Record<string, string>; follow?: boolean }

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
export const PASSWORD = 'a long and simple sentence'

export class Browser {
  readonly url: string
  readonly cookies = new Map<string, string>()
  page: Visit = { status: 0, headers: new Headers(), text: '', path: '' }

  constructor(url: string) {
    this.url = url
  }

  /** Opens a page, and goes where it leads. */
  async open(path: string, { headers = {}, follow = true }: Sent = {}): Promise<Visit> {
    return this.#ask(path, { headers: { Accept: 'text/html', ...headers } }, follow)
  }

  async signIn(email: string, password = PASSWORD): Promise<Visit> {
    await this.open('/dashboard/sign-in')
    return this.submit('Sign in', { email, password })
  }

  /** Sends the form that has a button with this text; what is not named stays as it is in the page. */
  async submit(button: string, fields: Filled = {}, sent: Sent = {}): Promise<Visit> {
    const form = this.form(button)
    return this.send({ ...form, address: form.addresses[button] ?? form.address }, fields, sent)
  }

  async send(form: Form, fields: Filled = {}, { headers = {}, follow = true }: Sent = {}): Promise<Visit> {
    const pairs = filledPairs(form, fields)
    if (form.method === 'get') {
      const query = new URLSearchParams(textPairs(pairs))
      return this.open(`${form.address}?${query}`, { headers: { ...this.#referring(), ...headers }, follow })
    }
    let body: URLSearchParams | FormData
    if (form.encoding === 'multipart/form-data') {
      body = new FormData()
      for (const [name, value] of pairs) {
        if (value instanceof Blob) body.append(name, value, fileName(value))
        else body.append(name, value)
      }
    } else {
      body = new URLSearchParams(textPairs(pairs))
    }
    return this.post(form.address, body, { headers, follow })
  }

  /** Sends a body as one of our own pages would. */
  async post(
    path: string,
    body: URLSearchParams | FormData | string,
    { headers = {}, follow = true }: Sent = {},
  ) {
    const own = { Accept: 'text/html', Origin: this.url, 'Sec-Fetch-Site': 'same-origin' }
    return this.#ask(path, { method: 'POST', body, headers: { ...own, ...headers } }, follow)
  }

  form(button: string): Form {
    const forms = formsOf(this.page.text)
    const found = forms.filter(({ buttons }) => buttons.includes(button))
    const known = forms.flatMap(({ buttons }) => buttons).join(', ')
    expect(found, `Forms with a button “${button}” in ${this.page.path}; there are: ${known}`).to.have.length(
      1,
    )
    return found[0] as Form
  }

  /** Follows the only link with this text. */
  async follow(text: string): Promise<Visit> {
    const links = [...this.page.text.matchAll(/<a\b([^>]*)>([\s\S]*?)<\/a>/g)]
      .filter(([, , content = '']) => wordsOf(content) === text)
      .map(([, own = '']) => attributesOf(own).href ?? '')
    expect(new Set(links), `Links “${text}” in ${this.page.path}`).to.have.property('size', 1)
    return this.open(links[0] as string, { headers: this.#referring() })
  }

  /** Follows the only link that is read aloud as this. */
  async press(label: string): Promise<Visit> {
    const links = [...this.page.text.matchAll(/<a\b([^>]*)>/g)]
      .map(([, own = '']) => attributesOf(own))
      .filter((own) => own['aria-label'] === label)
      .map(({ href = '' }) => href)
    expect(new Set(links), `Links labelled “${label}” in ${this.page.path}`).to.have.property('size', 1)
    return this.open(links[0] as string, { headers: this.#referring() })
  }

  /** The page as it is read: without tags. */
  get words(): string {
    return wordsOf(this.page.text)
  }

  #referring = () => ({ Referer: this.url + this.page.path })

  async #ask(path: string, request: RequestInit, follow: boolean): Promise<Visit> {
    const address = new URL(path, this.url)
    const response = await fetch(address, {
      ...request,
      redirect: 'manual',
      headers: {
        'Accept-Encoding': 'identity',
        ...request.headers,
        ...(this.cookies.size > 0 ? { Cookie: this.#cookieHeader() } : {}),
      },
    })
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie)
    const text = await response.text()
    this.page = {
      status: response.status,
      headers: response.headers,
      text,
      path: address.pathname + address.search,
    }
    const to = response.headers.get('Location')
    if (follow && to && [302, 303].includes(response.status))
      return this.#ask(to, { headers: { Accept: 'text/html' } }, true)
    return this.page
  }

  #cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keep(cookie: string) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/Max-Age=0/.test(cookie)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** An administrator's browser, for a suite. */
export function useSignedIn(world: { url: string; database: Knex }, email?: string): Browser {
  return useWith(world, () => createSignedIn(world, email))
}

export async function createSignedIn(
  world: { url: string; database: Knex },
  email = 'admin@example.com',
  role: Role = 'owner',
): Promise<Browser> {
  const known = await world.database('admins').where({ email }).first()
  if (!known) await createCheapAdmin(world.database, { email, password: PASSWORD, role })
  const browser = new Browser(world.url)
  await browser.signIn(email)
  expect(browser.cookies.has('berth_session'), 'signed in').to.equal(true)
  return browser
}

export function formsOf(text: string): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, own = '', inside = '']) => {
    const { action = '', method = 'get', enctype = '' } = attributesOf(own)
    const all = [...inside.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)].map(
      ([, own = '', text = '']) => ({ text: wordsOf(text), address: attributesOf(own).formaction }),
    )
    const elsewhere = all.flatMap(({ text, address }) => (address === undefined ? [] : [[text, address]]))
    return {
      address: action,
      method,
      encoding: enctype,
      controls: controlsOf(inside),
      buttons: all.map(({ text }) => text),
      addresses: Object.fromEntries(elsewhere),
    }
  })
}

function controlsOf(text: string): Control[] {
  const inputs = [...text.matchAll(/<input\b([^>]*)>/g)].map(([, own = '']) => {
    const { name = '', type = 'text', checked, value } = attributesOf(own)
    const isBox = type === 'checkbox' || type === 'radio'
    return {
      name,
      value: value ?? (isBox ? 'on' : ''),
      type,
      checked: checked !== undefined,
      options: [],
    }
  })
  const areas = [...text.matchAll(/<textarea\b([^>]*)>\n?([\s\S]*?)<\/textarea>/g)].map(
    ([, own = '', value = '']) => plainControl(own, decode(value)),
  )
  const selects = [...text.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)].map(
    ([, own = '', inside = '']) => {
      const options = [...inside.matchAll(/<option\b([^>]*)>([^<]*)/g)].map(
        ([, option = '', label = '']) => ({
          value: decode(label),
          ...attributesOf(option),
        }),
      )
      const chosen = options.find((option) => 'selected' in option) ?? options[0]
      return { ...plainControl(own, chosen?.value ?? ''), options: options.map(({ value = '' }) => value) }
    },
  )
  return [...inputs, ...areas, ...selects]
}

function plainControl(own: string, value: string): Control {
  return { name: attributesOf(own).name ?? '', value, type: 'text', checked: false, options: [] }
}

function filledPairs({ controls }: Form, fields: Filled): Array<[string, string | Blob]> {
  for (const name of Object.keys(fields)) {
    expect(
      controls.map((control) => control.name),
      `The form has a field “${name}”`,
    ).to.include(name)
  }
  const pairs: Array<[string, string | Blob]> = []
  const done = new Set<string>()
  for (const control of controls) {
    const { name, type, value } = control
    if (!name) continue
    if (!(name in fields)) {
      const isBox = type === 'checkbox' || type === 'radio'
      if (type === 'file') pairs.push([name, new Blob([])])
      else if (!isBox || control.checked) pairs.push([name, value])
    } else if (!done.has(name)) {
      const filled = [fields[name] ?? []].flat()
      pairs.push(...filled.map((each): [string, string | Blob] => [name, each]))
      done.add(name)
    }
  }
  return pairs
}

function textPairs(pairs: Array<[string, string | Blob]>): Array<[string, string]> {
  return pairs.map(([name, value]) => [name, String(value)])
}

// As browsers name a file that was not chosen.
function fileName(file: Blob): string {
  return file instanceof File ? file.name : file.size === 0 ? '' : 'file'
}

export function attributesOf(text: string): Record<string, string> {
  const found = text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, decode(value)]))
}

export function wordsOf(text: string): string {
  const bare = text.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ')
  return decode(bare).replace(/\s+/g, ' ').trim()
}

function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}
