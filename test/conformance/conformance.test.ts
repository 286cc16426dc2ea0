// Tests the conformance kit: Berth passes every rule, the kit deletes what it created, and it finds planted deviations.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { ABILITIES, createToken } from '../../shared/tokens/token-store.ts'
import { startAnswerProxy } from '../harness/answer-proxy.ts'
import { createFloorPlanColumns, drawPng } from '../support/dashboard/pictures.ts'
import { createBookable } from '../support/factories.ts'
import { createOffice } from '../support/office.ts'
import { useClient, useWorld } from '../support/world.ts'
import { PLANTED_DEVIATIONS } from './planted.ts'
import { formatJunit } from './report.ts'
import { CHECKS, runConformance } from './run.ts'

describe('the conformance kit', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  const client = useClient(world)
  const plan = drawPng(40, 30)
  let tokens: { readToken: string; limitedToken: string }
  before(async () => {
    const office = await createOffice(world.database)
    const location_id = office.location.id
    await createBookable(world.database, { location_id, name: 'Elbe', type: 2 })
    await createBookable(world.database, { location_id, name: 'P 1', type: 1 })
    await createBookable(world.database, { location_id, name: 'Desk 1', type: 0, tags: ['window'] })
    const { database } = world
    await database('locations')
      .where({ id: location_id })
      .update(createFloorPlanColumns(plan, { width: 40, height: 30 }))
    const read = await createToken(database, { name: 'read', abilities: ['read'], createdBy: 'test' })
    const limited = await createToken(database, {
      name: 'limited',
      abilities: [...ABILITIES],
      createdBy: 'test',
      buildingIds: [office.building.id],
    })
    tokens = { readToken: read.token, limitedToken: limited.token }
  })

  const target = (url = world.url) => ({ url, token: client.token ?? '', ...tokens, plan })
  const rows = async () => {
    const { database } = world
    const bookables = await database('bookables').orderBy('id').select('id', 'name', 'status', 'tags')
    return {
      bookables,
      bookings: await database('bookings').count(),
      users: await database('users').whereNull('deactivated_at').count(),
    }
  }

  it('passes all checks against Berth, and deletes the data that it created', async function passes() {
    // Each import starts a process that reads the file.
    this.timeout(300_000)
    const before = await rows()
    const { results, left } = await runConformance(target())
    expect(results.filter(({ outcome }) => outcome !== 'passed')).to.deep.equal([])
    expect(results.length).to.be.above(95)
    // Users are left over, because the API cannot delete them.
    expect(left, left.join()).to.have.length(2)
    for (const each of left) expect(each).to.match(/^the deactivated user \d+$/)
    expect(await rows()).to.deep.equal(before)
    expect(await world.database('events').where({ status: 1 })).to.deep.equal([])
  })

  it('lists every check exactly once, with the rule that it checks', () => {
    const names = CHECKS.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    for (const { rule } of CHECKS) expect(rule).to.match(/^\d/)
  })

  for (const [name, change] of Object.entries(PLANTED_DEVIATIONS)) {
    it(`detects a server that deviates from the rules: ${name}`, async () => {
      const proxy = await startAnswerProxy(world.url, change)
      try {
        const { results } = await runConformance(target(proxy.url), name)
        const failed = results.filter(({ outcome }) => outcome === 'failed')
        expect(failed.map((each) => each.name)).to.include(name)
        const found = failed.find((each) => each.name === name)
        expect(found?.sent).to.not.be.empty
        expect([found?.expected, found?.got]).to.not.include(undefined)
      } finally {
        proxy.close()
      }
    })
  }

  it('writes its report as text, JSON or JUnit XML', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-conformance-'))
    const files = { json: join(folder, 'report.json'), junit: join(folder, 'report.xml') }
    const tsx = join(projectDirectory, 'node_modules/tsx/dist/cli.mjs')
    const main = join(projectDirectory, 'test/conformance/main.ts')
    const options = [
      '--only',
      'authentication',
      '--url',
      world.url,
      '--token',
      client.token ?? '',
      '--json',
      files.json,
      '--junit',
      files.junit,
    ]
    const { stdout } = await promisify(execFile)(process.execPath, [tsx, main, ...options])
    expect(stdout).to.include('skip authentication.abilities').and.include(', 0 failed, 1 skipped')
    expect(JSON.parse(await readFile(files.json, 'utf8')).results).to.have.length(3)
    expect(await readFile(files.junit, 'utf8')).to.include('tests="3" failures="0" skipped="1"')
    await rm(folder, { recursive: true })
  })

  it('escapes values in its XML report', () => {
    const failed = {
      name: 'a<b',
      rule: '1 "&"',
      outcome: 'failed' as const,
      expected: '<',
      got: '&',
      durationMs: 1,
    }
    const xml = formatJunit({ url: '', results: [failed], left: [] })
    expect(xml).to.include('name="a&lt;b"').and.include('message="1 &quot;&amp;&quot;"')
  })

  it('imports no source file of Berth', () => {
    const folder = join(projectDirectory, 'test/conformance')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((each) => each.endsWith('.ts') && !each.endsWith('.test.ts'))) {
      const imports = [...readFileSync(join(folder, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
        ([, name]) => name,
      )
      for (const name of imports) expect(name, file).to.match(/^(node:|\.\/|\.\.\/(?!\.))/)
    }
  })
})
