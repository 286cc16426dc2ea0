// Runs a command of dist/ like npm run, and returns its output.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'

export type CommandOutcome = { code: number; stdout: string; stderr: string }
export type RunCommand = (command: string, args: string[], input?: string) => Promise<CommandOutcome>

/** Runs a command of the dist/ folder in `root` instead of the project's own. */
export function runAgainst(
  database: { databaseUrl: string },
  environment: Record<string, string> = {},
  root = projectDirectory,
): RunCommand {
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
