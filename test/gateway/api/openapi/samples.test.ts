// Runs the programs in the API reference and the Postman collection unchanged against a server.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createOpenApiDocument } from '../../../../gateway/api/openapi/document.ts'
import { createSamples, listOperations } from '../../../../gateway/api/openapi/samples.ts'
import { endpoints } from '../../../../gateway/app.ts'
import { createBuilding, createDesk, createUser } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const runFile = promisify(execFile)
const PYTHON_PATH = '/usr/bin/python3'
const hasRequests = spawnSync(PYTHON_PATH, ['-c', 'import requests']).status === 0

type PostmanItem = {
  name: string
  item?: PostmanItem[]
  request: {
    method: string
    url: {
      path: string[]
      query: Array<{ key: string; value: string; disabled: boolean }>
      variable: Array<{ key: string; value: string }>
    }
    header: Array<{ key: string; value: string }>
    body?: { mode: string; raw: string }
  }
}

describe('the sample programs of the reference', () => {
  const world = useWorld({ workers: ['writes', 'exports'] })
  const client = useClient(world)
  const programs = (language: string) => {
    const document = createOpenApiDocument(endpoints, world.url)
    return listOperations(document).map((located) => ({
      ...located,
      text: createSamples(located, document).find((sample) => sample.language === language)?.text ?? '',
    }))
  }
  const find = (language: string, operationId: string) =>
    programs(language).find(({ operation }) => operation.operationId === operationId)?.text ?? ''

  const run = (command: string, program: string) =>
    runFile(command, ['-c', program], { env: { ...process.env, TOKEN: client.token } })

  before(async () => {
    await createUser(world.database, { name: 'Anna Berg', email: 'anna@example.com' })
    await createBuilding(world.database, { name: 'Harbour House' })
  })

  it('read data with curl', async () => {
    const { stdout } = await run('bash', `${find('curl', 'listBuildings')} -s`)
    expect(JSON.parse(stdout).data).to.have.length(1)
  })

  it('are valid Bash and Python, regardless of the example values', function () {
    for (const { text } of programs('curl')) execFileSync('bash', ['-n', '-c', text], { stdio: 'pipe' })
    if (spawnSync(PYTHON_PATH, ['--version']).status !== 0) return this.skip()
    const all = JSON.stringify(programs('Python').map(({ text }) => text))
    execFileSync(
      PYTHON_PATH,
      ['-c', 'import ast, json, sys\nfor each in json.load(sys.stdin): ast.parse(each)'],
      {
        input: all,
      },
    )
  })

  it('contain no fixed date, but book for tomorrow', async () => {
    const past = /2026-\d\d/
    for (const language of ['curl', 'TypeScript', 'Python'])
      for (const { text, operation } of programs(language))
        expect(text, operation.operationId).to.not.match(past)
    const { bookable_id, location_id, user_id } = await createDesk(world.database)
    const booked = await run(
      'bash',
      find('curl', 'createBooking')
        .replace('"bookable_id": 1', `"bookable_id": ${bookable_id}`)
        .replace('"location_id": 1', `"location_id": ${location_id}`)
        .replace('"user_id": 1', `"user_id": ${user_id}`),
    )
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    expect(JSON.parse(booked.stdout).data[0].to).to.equal(`${tomorrow}T17:00:00.000000Z`)
  })

  it('read and write data with Python', async function () {
    if (!hasRequests) return this.skip()
    const read = await run(PYTHON_PATH, find('Python', 'listUsers'))
    expect(read.stdout).to.include('Anna Berg')
    const write = await run(PYTHON_PATH, find('Python', 'createUser'))
    expect(write.stdout).to.include("'id':")
  })

  it('include Postman requests that go to the right endpoint with the token', async () => {
    const answer = await fetch(`${world.url}/api/docs/postman.json`)
    const json = (await answer.json()) as { item: PostmanItem[]; variable: unknown[] }
    const items: PostmanItem[] = json.item.flatMap(({ item = [] }) => item)
    expect(items).to.have.length(endpoints.length)
    expect(json.variable[0]).to.include({ key: 'baseUrl', value: world.url })
    for (const { name, request } of items.filter((each) => each.request.method === 'GET')) {
      const { url } = request
      const path = url.path.map((part) => url.variable.find(({ key }) => `:${key}` === part)?.value ?? part)
      const query = url.query
        .filter(({ disabled }) => !disabled)
        .map(({ key, value }): [string, string] => [key, value])
      const address = `${path.join('/').replace('api/v1/', '')}?${new URLSearchParams(query)}`
      const answered = await client.get(address, { Prefer: 'handling=strict' })
      // Most of the ids do not exist, but every parameter is known and valid.
      expect([200, 403, 404], `${name}: ${answered.text}`).to.include(answered.status)
      if (answered.status === 404) expect(answered.json.message, name).to.not.match(/^The path/)
    }
  })
})
