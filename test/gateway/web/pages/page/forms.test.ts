// Tests what every dashboard page can rely on, with pages that exist only in this file: files, errors, keys,
// parts that reload, redirects.
import { expect } from 'chai'
import { html } from '../../../../../gateway/html/html.ts'
import { sentence } from '../../../../../gateway/web/locales/translate.ts'
import { definePage } from '../../../../../gateway/web/pages/page/page.ts'
import { form } from '../../../../../gateway/web/pages/ui/forms.ts'
import { message } from '../../../../../shared/messages/message.ts'
import { Refusal } from '../../../../../shared/messages/refusal.ts'
import {
  integer,
  object,
  queryFlag,
  queryNumber,
  required,
  text,
} from '../../../../../shared/schemas/fields.ts'
import { type Browser, createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { useStage } from '../../../../support/dashboard/dashboard-stage.ts'
import { useWorld } from '../../../../support/world.ts'

const noteForm = object({
  title: required(text({ max: 10, min: 1 })),
  number: queryNumber(integer({ min: 1, max: 9 })),
  urgent: queryFlag().default(false),
})

const seen: unknown[] = []
const notes = definePage({
  path: '/notes',
  title: sentence`Notes`,
  query: object({ about: text({ max: 20 }) }),
  actions: (action) => ({
    note: action(noteForm, async (call) => {
      if (call.form.title === 'taken') throw new Refusal('bookable_blocked', message`It is blocked.`)
      if (call.form.title === 'broken') throw new Error('A bug')
      seen.push({ ...call.form })
      return { redirectTo: call.link('/elsewhere'), notice: `Noted “${call.form.title}”.` }
    }),
    keep: action(
      object({ word: required(text({ max: 3, min: 1 })) }),
      async (call) => {
        seen.push({ word: call.form.word, file: call.upload?.filename })
        return { redirectTo: call.linkHere(), notice: 'Kept.' }
      },
      { takesFile: true },
    ),
  }),
  live: { figure: { everySeconds: 1, show: (call) => html`<b>${call.requireAdmin().email}</b>` } },
  show: async (call) => html`${await call.live('figure')}
${['a', 'b'].map((key) =>
  form(call, { action: 'note', key, submit: `Note ${key}` }, (fields) => [
    fields.text('title', 'Title', { value: 'old', required: true }),
    fields.text('number', 'How many', { type: 'number' }),
    fields.checkbox('urgent', 'Urgent', {}),
  ]),
)}
${form(call, { action: 'keep', submit: 'Keep', hasFile: true }, (fields) => [
  fields.file('file', 'List', {}),
  fields.text('word', 'Word', { required: true }),
])}`,
})
const loans = definePage({
  path: '/lend',
  title: sentence`Lend`,
  actions: (action) => ({
    lend: action(object({ from: text({ max: 20 }), to: text({ max: 20 }) }), async (call) => {
      const { from = '', to = '' } = call.form
      await call.dispatch('loans.create', { bookable_id: 1, from, to })
      return { redirectTo: call.linkHere() }
    }),
  }),
  show: (call) =>
    html`${form(call, { action: 'lend', submit: 'Lend' }, (fields) => [
      fields.text('from', 'First day'),
      fields.text('to', 'Last day'),
    ])}`,
})
const elsewhere = definePage({
  path: '/elsewhere',
  title: sentence`Elsewhere`,
  show: (call) => ({ redirectTo: call.link('/notes') }),
})

describe('a page of the dashboard with a form', () => {
  const world = useWorld({ workers: [] })
  const stage = useStage(world, [notes, elsewhere])
  let browser: Browser
  before(async () => {
    browser = await createSignedIn(stage)
  })
  beforeEach(async () => {
    seen.length = 0
    await browser.open('/dashboard/notes?about=us')
  })
  const kept = (button: string, field: string) =>
    browser.form(button).controls.find(({ name }) => name === field)?.value

  it('passes the parsed form to its action, and shows a notice after the redirect', async () => {
    await browser.submit('Note b', { title: ' new ', number: '7', urgent: 'true' })
    expect(seen).to.deep.equal([{ title: 'new', number: 7, urgent: true }])
    expect(browser.page.path).to.equal('/dashboard/notes')
    expect(browser.words).to.include('Noted “new”.')
  })

  it('treats an empty field like an absent field', async () => {
    await browser.submit('Note a', { number: '' })
    expect(seen).to.deep.equal([{ title: 'old', urgent: false }])
    await browser.open('/dashboard/notes')
    expect((await browser.submit('Note a', { title: '' })).status).to.equal(422)
    expect(browser.words).to.include('Title is required.')
  })

  it('shows an error in the submitted form, at the same URL, and in no other form', async () => {
    const {
      status,
      path,
      text: shown,
    } = await browser.submit('Note b', { title: 'far too long', number: 'x' })
    expect([status, path]).to.deep.equal([422, '/dashboard/notes?about=us'])
    expect(shown.match(/role="alert"/g)).to.have.length(1)
    expect(browser.words)
      .to.include('Title must be at most 10 characters long.')
      .and.include('How many must be a whole number from 1 to 9.')
    expect([kept('Note a', 'title'), kept('Note b', 'title')]).to.deep.equal(['old', 'far too long'])
    expect((await browser.submit('Note b', { title: 'taken', number: '' })).status).to.equal(409)
    expect(browser.words).to.include('It is blocked.')
    expect(seen).to.deep.equal([])
  })

  it('reveals nothing about an internal error', async () => {
    expect((await browser.submit('Note a', { title: 'broken' })).status).to.equal(500)
    expect(browser.words)
      .to.include(
        `An unexpected error occurred. The log has the details under this request ID ${browser.page.headers.get('X-Request-Id')}.`,
      )
      .and.not.include('A bug')
    expect(kept('Note a', 'title'), 'what was typed').to.equal('broken')
  })

  it('shows the request id of an error on German pages, too', async () => {
    const headers = { 'Accept-Language': 'de' }
    await browser.submit('Note a', { title: 'broken' }, { headers })
    const id = browser.page.headers.get('X-Request-Id')
    expect(browser.words).to.include(`Einzelheiten stehen im Log unter dieser Anfrage-ID ${id}.`)
  })

  it('accepts an uploaded file, and deletes the file of a refused form', async () => {
    const list = new File(['name;email'], 'people.csv')
    const stored = () => world.database('files').select('name')
    await browser.submit('Keep', { file: list, word: 'too long' })
    expect(browser.words).to.include('Word must be at most 3 characters long.')
    expect(await stored()).to.deep.equal([])
    for (const form of [{ word: 'yes' }, { file: [], word: 'yes' }]) {
      await browser.open('/dashboard/notes')
      expect((await browser.submit('Keep', form)).status).to.equal(422)
      expect(browser.words).to.include('Choose a file.')
      expect(kept('Keep', 'word')).to.equal('yes')
    }
    expect([seen, await stored()]).to.deep.equal([[], []])
    await browser.submit('Keep', { file: list, word: 'yes' })
    expect(browser.words).to.include('Kept.')
    expect(seen).to.deep.equal([{ word: 'yes', file: 'people.csv' }])
    expect(await stored()).to.deep.equal([{ name: 'people.csv' }])
  })

  it('stores no file that another site uploads', async () => {
    const sent = new FormData()
    sent.set('_action', 'keep')
    sent.set('file', new File(['x'], 'x.csv'))
    const { status } = await browser.post('/dashboard/notes', sent, { follow: false })
    expect(status).to.equal(403)
    expect(await world.database('files').where({ name: 'x.csv' })).to.deep.equal([])
  })

  it('stores no part of a file before it has read a valid form token', async () => {
    const { database } = world
    await database.raw(`CREATE FUNCTION refuse_file() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'A file is stored'; END $$`)
    await database.raw(
      'CREATE TRIGGER refuse_file BEFORE INSERT ON files FOR EACH ROW EXECUTE FUNCTION refuse_file()',
    )
    try {
      await browser.open('/dashboard/notes')
      const token = /name="_csrf" value="([^"]+)"/.exec(browser.page.text)?.[1] ?? ''
      const file = new File(['x'], 'x.csv')
      const send = async (fields: Array<[string, string | File]>) => {
        const sent = new FormData()
        for (const [name, value] of fields) sent.append(name, value)
        return (await browser.post('/dashboard/notes', sent, { follow: false })).status
      }
      const action: [string, string] = ['_action', 'keep']
      expect(await send([['_csrf', 'x'], action, ['file', file]])).to.equal(403)
      expect(await send([action, ['file', file], ['_csrf', token]])).to.equal(422)
      expect(await send([['_csrf', token], action, ['file', file]]), 'the trigger works').to.equal(500)
    } finally {
      await database.raw('DROP FUNCTION refuse_file CASCADE')
    }
  })

  it('refuses bodies that are not forms or are too large', async () => {
    const answer = (body: string, type: string) =>
      browser.post('/dashboard/notes', body, { headers: { 'Content-Type': type } })
    expect((await answer('{}', 'application/json')).status).to.equal(415)
    expect((await answer('a=%ff', 'application/x-www-form-urlencoded')).status).to.equal(403)
    expect((await answer(`a=${'x'.repeat(1_100_000)}`, 'application/x-www-form-urlencoded')).status).to.equal(
      413,
    )
  })

  it('renders the parts that reload separately, for signed-in administrators only', async () => {
    const address = /data-refresh="([^"]+)"/.exec(browser.page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(address).to.equal('/dashboard/notes?about=us&_part=figure')
    expect((await browser.open(address)).text).to.equal('<b>admin@example.com</b>')
    expect((await browser.open('/dashboard/notes?_part=nothing')).status).to.equal(404)
    browser.cookies.delete('berth_session')
    expect((await browser.open(address, { follow: false })).status).to.equal(401)
    browser = await createSignedIn(stage)
  })
})

describe('a page of the dashboard whose form accepts values that its job refuses', () => {
  const world = useWorld()
  const stage = useStage(world, [loans])

  it('answers 422 and shows the error at the field with the same name', async () => {
    const browser = await createSignedIn(stage)
    await browser.open('/dashboard/lend')
    const { status } = await browser.submit('Lend', { from: '2031-03-14', to: '2031-03-03' })
    expect(status).to.equal(422)
    expect(browser.words)
      .to.include('Last day must not be before the first day.')
      .and.include('Not saved. Please fix the marked fields.')
    await browser.submit('Lend', { from: 'soon', to: '2031-03-03' })
    expect(browser.words).to.include('First day must be a date such as 2026-11-20.')
  })
})
