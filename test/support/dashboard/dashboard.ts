// A browser without a screen: it keeps cookies, follows redirects, and fills in forms by their visible texts.
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Role } from '../../../shared/administrators/roles.ts'
import { useWith } from '../use.ts'
import { createAdminWithFastHash } from './administrators.ts'

export type Visit = { status: number; headers: Headers; text: string; path: string }

type Control = { name: string; value: string; type: string; checked: boolean; options: string[] }
export type Form = {
  address: string
  method: string
  encoding: string
  controls: Control[]
  /** The texts of the form's buttons. */
  buttons: string[]
  /** The form action of each button that has its own action, by the text of the button. */
  addresses: Record<string, string>
}
type FieldValues = Record<string, string | string[] | Blob | undefined>
type OpenOptions = { headers?: Record<string, string>; follow?: boolean }

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

  /** Opens a page, and follows redirects. */
  async open(path: string, { headers = {}, follow = true }: OpenOptions = {}): Promise<Visit> {
    return this.#ask(path, { headers: { Accept: 'text/html', ...headers } }, follow)
  }

  async signIn(email: string, password = PASSWORD): Promise<Visit> {
    await this.open('/dashboard/sign-in')
    return this.submit('Sign in', { email, password })
  }

  /** Submits the form that has a button with the given text, and the fields if several forms have such a button. All
   * other fields keep the values of the page. */
  async submit(button: string, fields: FieldValues = {}, sent: OpenOptions = {}): Promise<Visit> {
    const form = this.form(button, Object.keys(fields))
    return this.send({ ...form, address: form.addresses[button] ?? form.address }, fields, sent)
  }

  async send(
    form: Form,
    fields: FieldValues = {},
    { headers = {}, follow = true }: OpenOptions = {},
  ): Promise<Visit> {
    const pairs = listFormPairs(form, fields)
    if (form.method === 'get') {
      const query = new URLSearchParams(toTextPairs(pairs))
      return this.open(`${form.address}?${query}`, { headers: { ...this.#referring(), ...headers }, follow })
    }
    let body: URLSearchParams | FormData
    if (form.encoding === 'multipart/form-data') {
      body = new FormData()
      for (const [name, value] of pairs) {
        if (value instanceof Blob) body.append(name, value, getFileName(value))
        else body.append(name, value)
      }
    } else {
      body = new URLSearchParams(toTextPairs(pairs))
    }
    return this.post(form.address, body, { headers, follow })
  }

  /** Sends a body as a Berth page would. */
  async post(
    path: string,
    body: URLSearchParams | FormData | string,
    { headers = {}, follow = true }: OpenOptions = {},
  ) {
    const own = { Accept: 'text/html', Origin: this.url, 'Sec-Fetch-Site': 'same-origin' }
    return this.#ask(path, { method: 'POST', body, headers: { ...own, ...headers } }, follow)
  }

  form(button: string, fields: string[] = []): Form {
    const forms = parseForms(this.page.text)
    const all = forms.filter(({ buttons }) => buttons.includes(button))
    const fitting = all.filter(({ controls }) =>
      fields.every((field) => controls.some(({ name, type }) => name === field && type !== 'hidden')),
    )
    const found = all.length > 1 ? fitting : all
    const known = forms.flatMap(({ buttons }) => buttons).join(', ')
    expect(found, `Forms with a button “${button}” in ${this.page.path}; there are: ${known}`).to.have.length(
      1,
    )
    return found[0] as Form
  }

  /** Follows the only link with the given text. */
  async follow(text: string): Promise<Visit> {
    const links = [...this.page.text.matchAll(/<a\b([^>]*)>([\s\S]*?)<\/a>/g)]
      .filter(([, , content = '']) => extractWords(content) === text)
      .map(([, own = '']) => parseAttributes(own).href ?? '')
    expect(new Set(links), `Links “${text}” in ${this.page.path}`).to.have.property('size', 1)
    return this.open(links[0] as string, { headers: this.#referring() })
  }

  /** Follows the only link with the given accessible name. */
  async press(label: string): Promise<Visit> {
    const links = [...this.page.text.matchAll(/<a\b([^>]*)>/g)]
      .map(([, own = '']) => parseAttributes(own))
      .filter((own) => own['aria-label'] === label)
      .map(({ href = '' }) => href)
    expect(new Set(links), `Links labelled “${label}” in ${this.page.path}`).to.have.property('size', 1)
    return this.open(links[0] as string, { headers: this.#referring() })
  }

  /** Returns the text of the page without tags. */
  get words(): string {
    return extractWords(this.page.text)
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

/** Returns a browser for a suite, in which an administrator is signed in. */
export function useSignedIn(world: { url: string; database: Knex }, email?: string): Browser {
  return useWith(world, () => createSignedIn(world, email))
}

export async function createSignedIn(
  world: { url: string; database: Knex },
  email = 'admin@example.com',
  role: Role = 'owner',
): Promise<Browser> {
  const known = await world.database('admins').where({ email }).first()
  if (!known) await createAdminWithFastHash(world.database, { email, password: PASSWORD, role })
  const browser = new Browser(world.url)
  await browser.signIn(email)
  expect(browser.cookies.has('berth_session'), 'signed in').to.equal(true)
  return browser
}

export function parseForms(text: string): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, own = '', inside = '']) => {
    const { action = '', method = 'get', enctype = '' } = parseAttributes(own)
    const all = [...inside.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)].map(
      ([, own = '', text = '']) => ({
        // The time in “Book 09–17” is not part of the button's name.
        text: extractWords(text.replace(/<time>.*?<\/time>/, '')),
        address: parseAttributes(own).formaction,
      }),
    )
    const elsewhere = all.flatMap(({ text, address }) => (address === undefined ? [] : [[text, address]]))
    return {
      address: action,
      method,
      encoding: enctype,
      controls: parseControls(inside),
      buttons: all.map(({ text }) => text),
      addresses: Object.fromEntries(elsewhere),
    }
  })
}

function parseControls(text: string): Control[] {
  const inputs = [...text.matchAll(/<input\b([^>]*)>/g)].map(([, own = '']) => {
    const { name = '', type = 'text', checked, value } = parseAttributes(own)
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
    ([, own = '', value = '']) => createPlainControl(own, decodeEntities(value)),
  )
  const selects = [...text.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)].map(
    ([, own = '', inside = '']) => {
      const options = [...inside.matchAll(/<option\b([^>]*)>([^<]*)/g)].map(
        ([, option = '', label = '']) => ({
          value: decodeEntities(label),
          ...parseAttributes(option),
        }),
      )
      const chosen = options.find((option) => 'selected' in option) ?? options[0]
      return {
        ...createPlainControl(own, chosen?.value ?? ''),
        options: options.map(({ value = '' }) => value),
      }
    },
  )
  return [...inputs, ...areas, ...selects]
}

function createPlainControl(own: string, value: string): Control {
  return { name: parseAttributes(own).name ?? '', value, type: 'text', checked: false, options: [] }
}

function listFormPairs({ controls }: Form, fields: FieldValues): Array<[string, string | Blob]> {
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

function toTextPairs(pairs: Array<[string, string | Blob]>): Array<[string, string]> {
  return pairs.map(([name, value]) => [name, String(value)])
}

// The name that browsers send for a file that was not chosen.
function getFileName(file: Blob): string {
  return file instanceof File ? file.name : file.size === 0 ? '' : 'file'
}

export function parseAttributes(text: string): Record<string, string> {
  const found = text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, decodeEntities(value)]))
}

export function extractWords(text: string): string {
  const bare = text.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ')
  return decodeEntities(bare).replace(/\s+/g, ' ').trim()
}

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}
