# Builds the programs of manifest.json and profiles them one by one; runs on the machine with the GPU.
#
#   OUT=FOLDER python3 profile.py SECONDS [MOST]
#
# Beside it lie manifest.json (a list of { id, repo, dir, kind, sources, flags, run }), src.tar.xz (the repositories as
# OWNER+NAME), trace.so (trace.cpp, linked with libcupti) and libcupti.so.13. It stops itself after SECONDS, goes on at the
# next call where it stopped, and writes $OUT/results.jsonl and $OUT/reportsN.tar with the reports (.ncu-rep.xz).
import os, sys, json, time, subprocess, threading, signal, random, re, glob, shutil
T0=time.time(); BUDGET=float(sys.argv[1]); LIMIT=int(sys.argv[2]) if len(sys.argv)>2 else 10**9
OUT=os.environ['OUT']; HERE=os.path.dirname(os.path.abspath(__file__))
EV='/tmp/ev'; SRC=EV+'/src'; BIN=EV+'/bin'; RES=EV+'/res'
os.makedirs(BIN,exist_ok=True); os.makedirs(RES,exist_ok=True); os.makedirs(SRC,exist_ok=True)
left=lambda: BUDGET-(time.time()-T0)
if not os.path.exists(EV+'/unpacked'):
    subprocess.run(['tar','xJf',HERE+'/src.tar.xz','-C',SRC],check=True)
    R=SRC+'/yuhc+gpu-rodinia/cuda'; rnd=random.Random(1)
    if os.path.isdir(R):
        for n,(d,size) in {'hotspot':('hotspot',512*512),'3d':('hotspot3D',256*256*8)}.items():
            for f,lo,hi in (('temp.txt',320,340),('power.txt',0,0.01)):
                open(f'{R}/{d}/{f}','w').write('\n'.join('%.6f'%rnd.uniform(lo,hi) for _ in range(size))+'\n')
        n=200000
        with open(f'{R}/bfs/graph.txt','w') as f:
            f.write(f'{n}\n'+''.join(f'{i*6} 6\n' for i in range(n))+'\n0\n\n'+f'{n*6}\n'+''.join(f'{rnd.randrange(n)} 1\n' for _ in range(n*6)))
    open(EV+'/unpacked','w').write('x')
progs=json.load(open(HERE+'/manifest.json'))
done=set()
if os.path.exists(EV+'/done.txt'): done=set(open(EV+'/done.txt').read().split('\n'))
todo=[(i,p) for i,p in enumerate(progs) if p['id'] not in done][:LIMIT]
NCU=shutil.which('ncu') or '/opt/nvidia/nsight-compute/2025.3.1/ncu'
env=dict(os.environ); env['NVCC_APPEND_FLAGS']='-lineinfo -w'
env.pop('OUT',None)
SECTIONS='SourceCounters LaunchStats SpeedOfLight MemoryWorkloadAnalysis MemoryWorkloadAnalysis_Tables Occupancy SchedulerStats WarpStateStats'.split()
def kill_tree(p,sig):
    try: os.killpg(p.pid,sig)
    except ProcessLookupError: pass
def children(pid):
    out=[]
    try:
        for t in os.listdir(f'/proc/{pid}/task'):
            for c in open(f'/proc/{pid}/task/{t}/children').read().split(): out+= [int(c)]+children(int(c))
    except OSError: pass
    return out
def run(cmd,cwd,limit,log,e,soft=False):
    t=time.time()
    with open(log,'wb') as f:
        try: p=subprocess.Popen(cmd,cwd=cwd,stdin=subprocess.DEVNULL,stdout=f,stderr=subprocess.STDOUT,env=e,start_new_session=True)
        except OSError as x: f.write(str(x).encode()); return 127,0
        try: rc=p.wait(limit)
        except subprocess.TimeoutExpired:
            rc=124
            if soft:
                for c in reversed(children(p.pid)):
                    try: os.kill(c,soft)
                    except OSError: pass
                try: p.wait(7)
                except subprocess.TimeoutExpired: pass
            kill_tree(p,signal.SIGKILL); p.wait()
    # a program that prints a lot does not fill the disk
    if os.path.getsize(log)>1<<16: os.truncate(log,1<<16)
    return rc,time.time()-t
def tail(log,n=300):
    try: return open(log,errors='replace').read()[-n:]
    except OSError: return ''
ready=[]; cv=threading.Condition(); built=[0]; taken=[0]; building=[len(todo)]
results=[]
nextb=iter(todo); lock=threading.Lock()
def build(i,p):
    cwd=f"{SRC}/{p['repo'].replace('/','+',1)}/{p['dir']}"; log=f'{EV}/build.{i}.log'
    if not os.path.isdir(cwd): return 1,0
    if p['kind']=='make':
        for m in glob.glob(cwd+'/Makefile*'):
            s=open(m,errors='replace').read(); n=re.sub(r'-std=c\+\+(98|03|11|14)',r'-std=c++17',s); n=re.sub(r'\b(sm|compute)_[3-8]\d\b',r'\1_90',n)
            if n!=s: open(m,'w').write(n)
        rc,s=run(['make','ARCH=sm_90'],cwd,90,log,env)
        exe=os.path.join(cwd,p['run'][0])
        if rc==0 and not os.path.exists(exe): rc=2
    else:
        os.makedirs(f'{BIN}/{i}',exist_ok=True)
        rc,s=run(['nvcc','-O3','-std=c++17','-arch=sm_90','-o',f'{BIN}/{i}/main']+p['flags']+p['sources'],cwd,90,log,env)
    return rc,s
def builder():
    while True:
        with lock:
            try: i,p=next(nextb)
            except StopIteration: break
        with cv:
            while built[0]-taken[0]>40 and left()>30: cv.wait(1)
        if left()<30: break
        rc,s=build(i,p)
        with cv:
            if rc==0: ready.append((i,p)); built[0]+=1; cv.notify_all()
            else: results.append(dict(id=p['id'],build=rc,buildSeconds=round(s,1),log=tail(f'{EV}/build.{i}.log',400))); record(p['id'])
    with cv: cv.notify_all()
def record(id):
    with lock: open(EV+'/done.txt','a').write(id+'\n')
def profile(i,p):
    cwd=f"{SRC}/{p['repo'].replace('/','+',1)}/{p['dir']}"
    argv=p['run'] if p['kind']=='make' else [f'{BIN}/{i}/main']+p['run'][1:]
    r=dict(id=p['id'],i=i,build=0)
    tr=f'{EV}/trace.{i}'
    e=dict(env); e['CUDA_INJECTION64_PATH']=HERE+'/trace.so'; e['TRACE_OUT']=tr; e['LD_LIBRARY_PATH']=e.get('LD_LIBRARY_PATH','')+':'+HERE
    r['trace'],s=trace(argv,cwd,f'{EV}/run.{i}.log',e)
    r['traceSeconds']=round(s,2)
    rows=[]
    for f in glob.glob(tr+'.*'):
        for l in open(f,errors='replace'):
            c=l.rstrip('\n').split('\t')
            if len(c)==5: rows.append([int(c[0]),int(c[1]),c[2],c[3],c[4]])
        os.remove(f)
    rows.sort(key=lambda x:-x[1]); total=sum(x[1] for x in rows) or 1
    r['kernels']=len(rows); r['totalNs']=total
    r['launches']=[[n,ns,g,b,k] for n,ns,g,b,k in rows[:60]]
    if not rows: r['log']=tail(f'{EV}/run.{i}.log'); return r
    if left()<25: return None
    byname={}
    for n,ns,g,b,k in rows: byname[k]=byname.get(k,0)+ns
    cmd=[NCU,'-f','-o',f'{RES}/{i}','--clock-control','none','--import-source','no','--apply-rules','yes']
    for x in SECTIONS: cmd+=['--section',x]
    pick=rows
    if len(rows)>10:
        keep=[k for k,ns in byname.items() if ns>=0.01*total][:20]
        pick=[x for x in rows if x[4] in keep]
        cmd+=['--kernel-name-base','mangled','-k','regex:^('+'|'.join(re.escape(k) for k in keep)+')$']
    cmd+=['-c','16'] if len(pick)>16 else ['--filter-mode','per-launch-config','-c','1']
    if len(pick)>16: cmd+=['--kill','yes']
    r['ncu'],s=run(cmd+argv,cwd,min(40,left()-12),f'{EV}/ncu.{i}.log',env,soft=signal.SIGTERM)
    r['ncuSeconds']=round(s,2)
    rep=f'{RES}/{i}.ncu-rep'
    if os.path.exists(rep):
        r['bytes']=os.path.getsize(rep)
        subprocess.run(['xz','-3','-f','-T2',rep]); r['xz']=os.path.getsize(rep+'.xz')
    else: r['log']=tail(f'{EV}/ncu.{i}.log',500)
    return r
def trace(argv,cwd,log,e):
    t=time.time()
    with open(log,'wb') as f:
        try: p=subprocess.Popen(argv,cwd=cwd,stdin=subprocess.DEVNULL,stdout=f,stderr=subprocess.STDOUT,env=e,start_new_session=True)
        except OSError as x: f.write(str(x).encode()); return 127,0
        try: rc=p.wait(min(12,max(3,left()-20)))
        except subprocess.TimeoutExpired:
            rc=124; kill_tree(p,signal.SIGTERM)
            try: p.wait(2)
            except subprocess.TimeoutExpired: pass
            kill_tree(p,signal.SIGKILL); p.wait()
    if os.path.getsize(log)>1<<16: os.truncate(log,1<<16)
    return rc,time.time()-t
def profiler():
    while left()>28:
        with cv:
            while not ready and left()>28 and any(b.is_alive() for b in bs): cv.wait(0.5)
            if not ready: 
                if not any(b.is_alive() for b in bs): return
                continue
            i,p=ready.pop(0); taken[0]+=1; cv.notify_all()
        try: r=profile(i,p)
        except Exception as x: r=dict(id=p['id'],error=repr(x))
        if r is not None:
            results.append(r); record(p['id'])
bs=[threading.Thread(target=builder,daemon=True) for _ in range(13)]
for b in bs: b.start()
ps=[threading.Thread(target=profiler,daemon=True) for _ in range(int(os.environ.get('W','3')))]
for q in ps: q.start()
for q in ps: q.join(max(1,left()-6))
# pack
with open(OUT+'/results.jsonl','w') as f:
    for r in list(results): f.write(json.dumps(r)+'\n')
part=0; size=0; files=[]
ok=sorted((r for r in list(results) if r.get('xz')),key=lambda r:r['xz'])
parts=[[]]
for r in ok:
    if size+r['xz']>14.5e6:
        if len(parts)==4: break
        parts.append([]); size=0
    parts[-1].append(f"{r['i']}.ncu-rep.xz"); size+=r['xz']+1024
for n,fs in enumerate(parts):
    if fs: subprocess.run(['tar','cf',f'{OUT}/reports{n}.tar','-C',RES]+fs)
print('profiled',len(ok),'packed',sum(map(len,parts)),'failed builds',sum(1 for r in results if r.get('build')),'no kernels',sum(1 for r in results if r.get('kernels')==0),'no report',sum(1 for r in results if r.get('kernels') and not r.get('xz')),'seconds',round(time.time()-T0))
for r in results[:12]: print({k:v for k,v in r.items() if k!='launches'})
os._exit(0)
