// A mail server in a process of its own: takes every mail, and logs when it came and for whom. PORT is its port.
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
  onData(stream, { envelope }, callback) {
    stream.resume()
    stream.on('end', () => {
      callback()
      for (const { address } of envelope.rcptTo) console.log(`mail ${Date.now()} ${address}`)
    })
  },
})
// A worker that is stopped closes its connections.
server.on('error', () => undefined)
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
// The channel closes when the benchmark is gone.
process.on('disconnect', () => process.exit(0))
