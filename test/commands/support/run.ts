// Runs a command of dist/, as npm run does, and hands back what it said.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'

export type Outcome = { code: number; stdout: string; stderr: string }
export type Run = (command: string, args: string[], input?: string) => Promise<Outcome>

/** `root` is the folder of another dist/ than the project's own. */
export function runAgainst(
  database: { databaseUrl: string },
  environment: Record<string, string> = {},
  root = projectDirectory,
): Run {
  return (command, args, input = '') =>
    new Promise((resolve) => {
      const file = join(root, 'dist/commands', `${command}.js`)
      const options = {
        cwd: root,
        env: { ...process.env, DATABASE_URL: database.databaseUrl, ...environment },
      }
      const child = execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      )
      child.stdin?.end(input)
    })
}
