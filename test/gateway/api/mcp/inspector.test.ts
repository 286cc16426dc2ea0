// Tests the MCP server with a third-party client, the command line of MCP Inspector.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { createCampus } from '../../../support/campus.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { at } from './agent.ts'

/** Copies the command line of the Inspector, with the package.json that it needs. */
function copyInspector(): string {
  const require = createRequire(import.meta.url)
  const folder = mkdtempSync(join(tmpdir(), 'berth-inspector-'))
  const manifest = require.resolve('@modelcontextprotocol/inspector-cli/package.json')
  cpSync(dirname(manifest), join(folder, 'cli'), { recursive: true })
  cpSync(manifest, join(folder, 'package.json'))
  symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

describe('the MCP Inspector', () => {
  const world = useWorld()
  const client = useClient(world, 'read', 'booking-write')

  let folder = ''
  before(() => {
    folder = copyInspector()
  })
  after(() => rmSync(folder, { recursive: true }))

  async function inspect(method: string, ...options: string[]) {
    const header = ['--header', `Authorization: Bearer ${client.token}`]
    const program = join(folder, 'cli/build/index.js')
    const args = [
      program,
      `${world.url}/mcp`,
      '--transport',
      'http',
      '--method',
      method,
      ...options,
      ...header,
    ]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout)
  }

  it('lists the tools, calls them, and reads resources', async () => {
    const { location, free, user } = await createCampus(world.database, 'Inspected')
    const { tools } = await inspect('tools/list')
    expect(tools).to.have.length(12)
    const given = {
      bookable_id: free,
      location_id: location,
      user_id: user,
      from_time: at(9),
      to_time: at(17),
    }
    const pairs = Object.entries(given).map(([name, value]) => `${name}=${value}`)
    const call = ['--tool-name', 'book', '--tool-arg', ...pairs]
    const booked = await inspect('tools/call', ...call)
    expect(booked.structuredContent.booking.bookable.bookable_id).to.equal(free)
    const refused = await inspect('tools/call', ...call)
    expect([refused.isError, refused.structuredContent.refused.code]).to.deep.equal([
      true,
      'booking_conflict',
    ])
    const { contents } = await inspect('resources/read', '--uri', `berth://locations/${location}`)
    expect(JSON.parse(contents[0].text)).to.include({ name: 'Inspected floor' })
    expect((await inspect('resources/templates/list')).resourceTemplates).to.have.length(2)
  })
})
