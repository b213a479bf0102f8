// Real memcached and Redis servers on 127.0.0.1, for as long as a test needs them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

// No server outlives this, even if the test program is killed.
const LIFETIME_SECONDS = 300
const START_MILLISECONDS = 10_000
const ATTEMPTS = 3

/** All are held until the last is known, so that no two are the same. */
async function freePorts(count) {
  const held = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(held.map(server => once(server, 'listening')))
  const ports = held.map(server => server.address().port)
  await Promise.all(held.map(server => new Promise(done => server.close(done))))
  return ports
}

async function answers(port) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function started(command, port) {
  const process = spawn('timeout', [String(LIFETIME_SECONDS), ...command], { stdio: 'ignore' })
  for (const end = Date.now() + START_MILLISECONDS; Date.now() < end && process.exitCode === null; await pause(20)) {
    if (await answers(port)) return process
  }
  process.kill()
  return null
}

async function end(processes) {
  for (const process of processes) {
    const ended = process.exitCode === null && process.signalCode === null && once(process, 'exit')
    process.kill()
    await ended
  }
}

async function running(commandOf, count, stopped = () => {}) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ports = await freePorts(count)
    const processes = []
    for (const port of ports) {
      const process = await started(commandOf(port), port)
      if (process) processes.push(process)
    }
    const stop = async () => {
      await end(processes)
      stopped()
    }
    if (processes.length === count) return { addresses: ports.map(port => `127.0.0.1:${port}`), stop }
    // Another program may have taken a port since it was found free.
    await end(processes)
  }
  stopped()
  throw new Error(`${commandOf(0)[0]} does not start on 127.0.0.1`)
}

/** So many empty servers: their addresses, and how to stop them. */
export async function memcached(count) {
  // Started by root it wants to be told that it may stay root.
  const user = process.getuid() === 0 ? ['-u', 'root'] : []
  return running(port => ['memcached', '-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '64', ...user], count)
}

/** So many empty servers, which write nothing to disk: their addresses, and how to stop them. */
export async function redis(count) {
  const folder = mkdtempSync(join(tmpdir(), 'keystead-redis-'))
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  return running(port => ['redis-server', '--port', String(port), ...options], count, () => rmSync(folder, { recursive: true, force: true }))
}
