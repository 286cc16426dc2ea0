// Runs the quick start as written, on the demo data of `npm start`, and compares its output with the documented one.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { seedDemo } from '../../commands/seed/demo.ts'
import { projectDirectory } from '../../local/tools/folders.ts'
import { findFreePort } from '../../local/tools/ports.ts'

import { ABILITIES, createToken } from '../../shared/tokens/token-store.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { startHooks } from '../../workers/hooks/hooks.ts'
import { use, useWith } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

const listCodeBlocks = (language: string) => {
  const text = readFileSync(join(projectDirectory, 'docs/quick-start.md'), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  )
}

describe('the quick start in the documentation', function suite() {
  this.timeout(60_000)
  const world = useWorld()
  useWith(
    world,
    () => startHooks(world.config, createLog('test', 'silent')),
    (hooks) => hooks.stop(),
  )
  const checkout = use(() => ({ folder: mkdtempSync(join(tmpdir(), 'berth-quick-start-')) }), {
    close: ({ folder }) => rmSync(folder, { recursive: true, force: true }),
  })

  it('books, gets a conflict, and receives the change by webhook and change feed', async () => {
    await seedDemo(world.database)
    const named = { name: 'npm start', abilities: [...ABILITIES], createdBy: 'test' }
    const { token } = await createToken(world.database, named)
    // Creates the part of a checkout that the commands use.
    mkdirSync(join(checkout.folder, '.berth'))
    writeFileSync(join(checkout.folder, '.berth/local.json'), JSON.stringify({ token }))
    symlinkSync(join(projectDirectory, 'node_modules'), join(checkout.folder, 'node_modules'))

    // The receiver ends with the script, even if a command fails.
    const script = ['trap "kill \\$(jobs -p) 2>/dev/null || true" EXIT', ...listCodeBlocks('bash')]
      .join('\n')
      .replaceAll('http://127.0.0.1:3000', world.url)
      .replaceAll('8080', String(await findFreePort()))
    const { stdout, stderr } = await runScript(script, checkout.folder)
    expect(stdout, stderr).to.equal(listCodeBlocks('text').join(''))
  })
})

const runScript = (script: string, cwd: string) =>
  new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile('bash', ['-eo', 'pipefail', '-c', script], { cwd, timeout: 40_000 }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    )
  })
