// Tests the client as an installed package: its README runs as a program, it has a method for each endpoint, and it
// reads listings, files, the change feed and webhooks.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { createOpenApiDocument } from '../../gateway/api/openapi/document.ts'
import { createSamples, listOperations } from '../../gateway/api/openapi/samples.ts'
import { endpoints } from '../../gateway/app.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { startHooks } from '../../workers/hooks/hooks.ts'
import { createGroup, createUser } from '../support/factories.ts'
import { openApiOf } from '../support/http/openapi.ts'
import { eventually } from '../support/time.ts'
import { useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { useReceiver } from '../workers/hooks/receiver.ts'
import { compileProgram, importClient, runProgram, useInstalledClient } from './support/package.ts'
import { createReadmeProgram, readExpectedOutput } from './support/readme.ts'
import { createTown, type Town } from './support/town.ts'

// The program compiles only if the response types contain the fields that `include` adds.
const DETAILS_PROGRAM = `
const { events } = createClient({ url: '', token: '' })
const [listed] = await events.list({ from: '', to: '', include: 'details' }).all()
const got = await events.get(1, { include: 'details' })
const created = await events.create({ name: '', organizer_user_id: 1, to_time: '' }, { include: 'details' })
for (const { description, organizer, attendees } of [listed!, got, created])
  console.log(description.length, organizer.id.toFixed(), attendees.map((each) => each.type.length))
const plain = await events.get(1)
const mayLack: undefined extends typeof plain.description ? true : never = true
`

describe('@berth/client', function suite() {
  this.timeout(120_000)
  const world = useWorld({ workers: ['writes', 'imports', 'exports'] })
  const owner = useClient(world)
  const installed = useInstalledClient()
  const receiver = useReceiver(world)
  useWith(
    world,
    () => startHooks(world.config, createLog('test', 'silent')),
    (hooks) => hooks.stop(),
  )
  let town: Town
  let client: Awaited<ReturnType<typeof importClient>>
  let berth: ReturnType<typeof client.createClient>
  before(async () => {
    town = await createTown(world.database)
    client = await importClient(installed)
    berth = client.createClient({ url: world.url, token: owner.token })
  })

  it('has example programs that call only what the API reference describes', async () => {
    const document = createOpenApiDocument(endpoints, 'https://desk.example.com')
    const programs = listOperations(document).map(
      (located) =>
        createSamples(located, document).find(({ language }) => language === 'TypeScript')?.text ?? '',
    )
    const imports = new Set(programs.join('\n').match(/^import .*$/gm))
    const blocks = programs.map((text) => `{\n${text.replace(/^import .*$/gm, '')}\n}`)
    await compileProgram(installed.folder, 'samples', [...imports, ...blocks, DETAILS_PROGRAM].join('\n'))
  })

  it("compiles and runs every example of the client's README", async () => {
    const program = await compileProgram(installed.folder, 'readme', createReadmeProgram())
    const environment = { BERTH_URL: world.url, BERTH_TOKEN: owner.token ?? '' }
    const { code, stdout, stderr } = await runProgram(process.execPath, [program], environment)
    expect(code, stderr).to.equal(0)
    expect(stdout.trim().split('\n')).to.deep.equal(readExpectedOutput())
  })

  it('has exactly one method for each operation of the OpenAPI document', async () => {
    const { document } = await openApiOf(world.url)
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const { OPERATIONS } = await importClient(installed, 'generated/resources.js')
    const methods = Object.values<Record<string, { method: string; path: string }>>(OPERATIONS).flatMap(
      (resource) => Object.values(resource).map(({ method, path }) => `${method} ${path}`),
    )
    expect(methods.sort()).to.deep.equal(documented.sort())
  })

  it('depends on no packages and, outside its command line, on no Node APIs', () => {
    const folder = join(installed.folder, 'node_modules/@berth/client')
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(dependencies).to.equal(undefined)
    const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
    const parts = files.filter((file) => file.endsWith('.js') && !file.startsWith('cli/'))
    expect(parts).to.include('index.js')
    for (const file of parts)
      expect(readFileSync(join(folder, 'dist', file), 'utf8'), file).to.not.match(/from '(?!\.)|\bprocess\./)
  })

  it('reads a listing one page at a time or completely', async () => {
    const group = await createGroup(world.database, { name: 'Crowd' })
    const users: number[] = []
    for (let number = 0; number < 5; number++) users.push(await createUser(world.database))
    await berth.groups.replaceMembers(group, { user_ids: users })
    const crowd = berth.users.list({ group_id: group, limit: 2 })
    const pages: number[] = []
    for await (const page of crowd.pages()) pages.push(page.length)
    expect(pages).to.deep.equal([2, 2, 1])
    const found: number[] = []
    for await (const { id } of crowd) found.push(id)
    expect(found).to.deep.equal(users)
    for (const listing of [crowd, berth.users.list({ group_id: group })])
      expect((await listing.all()).map(({ id }: { id: number }) => id)).to.deep.equal(users)
  })

  it('uploads and downloads files', async () => {
    const file = new Blob(['email,name\nrita@example.com,Rita Rot\n'])
    expect(await berth.users.import({ file, dry_run: false })).to.include({ rows: 1, deleted: 0 })
    const csv: Blob = await berth.users.export({ format: 'csv' })
    expect(await csv.text()).to.include('rita@example.com,Rita Rot')
  })

  it('throws a different error class for each kind of failure', async () => {
    const failure = (promise: Promise<unknown>) =>
      promise.then(
        () => expect.fail('It passed'),
        (error) => error,
      )
    const stranger = client.createClient({ url: world.url, token: 'berth_none' })
    const refused = await failure(stranger.tokens.me())
    expect(refused)
      .to.be.instanceOf(client.AuthenticationError)
      .and.include({ code: 'invalid_token', status: 401 })
    expect(await failure(berth.users.get(2 ** 40))).to.be.instanceOf(client.NotFoundError)
    const invalid = await failure(berth.bookings.create({ bookable_id: town.home }))
    expect(invalid).to.be.instanceOf(client.ValidationError)
    expect(invalid.errors).to.include.keys('to_time', 'user_id')
    expect(invalid.requestId).to.match(/^[\w-]+$/)
    const outdated = berth.users.update(town.ben, { name: 'Ben' }, { ifMatch: '"another"' })
    expect(await failure(outdated)).to.be.instanceOf(client.PreconditionError)
    expect(() => berth.bookings.delete(undefined)).to.throw(TypeError, 'id must be a number')
    expect(() => client.createClient({ url: 'desk.example.com', token: '' })).to.throw(TypeError, 'https://')
  })

  it('continues the change feed from a stored cursor', async () => {
    const follow = async (after: string | undefined, onStart: () => unknown) => {
      for await (const { data, next } of berth.changes.follow({ after, types: ['group'], waitSeconds: 10 })) {
        if (data.length > 0)
          return { names: data.map(({ data: group }: { data: { name: string } }) => group.name), next }
        await onStart()
      }
      return expect.fail('The feed ended')
    }
    const first = await follow(undefined, () => berth.groups.create({ name: 'First' }))
    expect(first.names).to.deep.equal(['First'])
    await berth.groups.create({ name: 'Second' })
    expect((await follow(first.next, () => undefined)).names).to.deep.equal(['Second'])
    const expired = berth.changes.follow({ after: 'MS4xLjE' }).next()
    await expired.then(
      () => expect.fail('It passed'),
      (error: Error) => expect(error).to.include({ code: 'cursor_expired' }),
    )
  })

  describe('verifyWebhook', () => {
    const SECRET = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
    const body = JSON.stringify({ type: 'booking.created', data: null })

    it('accepts webhooks that the server sends', async () => {
      const { id, secret } = await berth.webhooks.create({ url: receiver.url, types: ['user.created'] })
      await berth.webhooks.test(id)
      const { body: sent, headers } = await eventually(() => {
        const found = receiver.received.find((each) => each.body.includes('webhook.test'))
        return found ?? expect.fail('It has not come')
      })
      const other = `whsec_${btoa('another')}`
      const message = await client.verifyWebhook({
        body: Buffer.from(sent),
        headers,
        secret: [other, secret],
      })
      expect(message).to.include({ type: 'webhook.test', sequence: 0 })
    })

    it('accepts webhooks signed by signWebhook or the reference implementation', async () => {
      const headers = await client.signWebhook({ id: 'msg_1', body, secret: SECRET })
      expect(new Webhook(SECRET).verify(body, headers)).to.be.an('object')
      const date = new Date()
      const reference = {
        'webhook-id': 'msg_2',
        'webhook-timestamp': String(Math.floor(date.getTime() / 1_000)),
        'webhook-signature': `v1a,x ${new Webhook(SECRET).sign('msg_2', date, body)}`,
      }
      expect(await client.verifyWebhook({ body, headers: reference, secret: SECRET })).to.deep.equal(
        JSON.parse(body),
      )
    })

    const changed: Record<string, (delivery: { headers: Record<string, string> }) => object> = {
      'a modified body': () => ({ body: `${body} ` }),
      'a modified id': ({ headers }) => ({ headers: { ...headers, 'webhook-id': 'msg_9' } }),
      'a different secret': () => ({ secret: `whsec_${btoa('another')}` }),
      'an invalid secret': () => ({ secret: 'secret' }),
      'a missing signature': ({ headers }) => ({ headers: { ...headers, 'webhook-signature': undefined } }),
      'a signature of an unknown version': ({ headers }) => ({
        headers: { ...headers, 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') },
      }),
      'a timestamp six minutes old': () => ({ now: () => Date.now() + 360_000 }),
      'a timestamp in the future': () => ({ now: () => Date.now() - 360_000 }),
    }
    for (const [title, change] of Object.entries(changed))
      it(`refuses a webhook with ${title}`, async () => {
        const headers = await client.signWebhook({ id: 'msg_1', body, secret: SECRET })
        const delivery = { body, headers, secret: SECRET }
        await client.verifyWebhook(delivery)
        await client.verifyWebhook({ ...delivery, ...change(delivery) }).then(
          () => expect.fail('It passed'),
          (error: Error) => expect(error).to.be.instanceOf(client.WebhookError),
        )
      })
  })
})
