# Makes h5py.h5, v110.h5, v200.h5, small_old.h5 and small_v108.h5, files as Python programs write them: python3 make_h5py.py (h5py 3.16, numpy 2.4).
import h5py
import numpy as np


def fill(f, zeros):
    count = np.arange(24)
    f['plain'] = count.reshape(4, 6).astype('f4')
    f['big_endian'] = count.astype('>f8')
    f['big_int'] = count.reshape(2, 12).astype('>i2')
    f['half'] = count.astype('f2')
    f['big_half'] = count.astype('>f2')
    f['unsigned16'] = np.array([0, 65535], 'u2')
    f['unsigned32'] = np.array([0, 4294967295], 'u4')
    f['bool'] = np.array([True, False, True])
    f['scalar'] = np.int32(-7)
    f['empty'] = np.zeros((0, 3), 'i8')
    f['nothing'] = h5py.Empty('f4')
    f['bytes'] = np.bytes_('text')
    f['names'] = np.array([b'a', b'bcd'])
    f['text'] = 'größer'  # of variable length, as h5py writes str
    f['texts'] = ['a', '', 'bcd']
    f['it%41'] = np.int8(1)  # names are taken as they are
    f['[1]'] = np.int8(2)
    packed = dict(chunks=(7, 5), compression='gzip', shuffle=True, fletcher32=True)
    f.create_dataset('packed', data=np.arange(400).reshape(20, 20).astype('>i4'), **packed)
    f.create_dataset('zeros', data=np.zeros((zeros, zeros)), compression='gzip')
    f.create_dataset('growing', data=count.astype('u1'), maxshape=(None,))
    f.create_dataset('unwritten', shape=(5,), dtype='f4', fillvalue=2.5)
    f.create_dataset('compact', data=count.astype('i1'), dcpl=None)
    g = f.create_group('layer', track_order=True)
    g['weight'] = count.reshape(2, 3, 4).astype('f4')
    g['bias'] = np.ones(3, 'f4')
    g.attrs['z'] = 3
    g.attrs['a'] = 0.5
    g.attrs['flag'] = np.bool_(True)
    g.attrs['list'] = np.array([1.5, 2.5])
    g.attrs['matrix'] = np.eye(2)
    g.attrs['text'] = np.bytes_('fixed')
    g.attrs['none'] = h5py.Empty('i4')
    g.attrs['note'] = 'of variable length'
    g.attrs['notes'] = ['x', 'yz']
    g['weight'].attrs['units'] = 'attributes of datasets are not read'
    f['tied'] = f['layer/weight']


with h5py.File('h5py.h5', 'w') as f:
    fill(f, 300)  # 700 KB in few bytes

with h5py.File('v110.h5', 'w', libver=('v110', 'v110')) as f:  # the layout of libver = 'latest' in HDF5 1.10
    f.create_dataset('packed', data=np.arange(400).reshape(20, 20), chunks=(7, 5), compression='gzip')
    f['plain'] = np.arange(24).reshape(4, 6).astype('f4')

with h5py.File('v200.h5', 'w', libver='latest') as f:  # HDF5 2.0, which HDF5 1.10 cannot read
    f.create_dataset('packed', data=np.arange(4), chunks=(2,), compression='gzip')

# Small ones for mutants: the oldest layout, and that of HDF5 1.8, whose metadata have checksums; names enough for trees.
for name, libver in (('small_old.h5', ('earliest', 'v108')), ('small_v108.h5', ('v108', 'v108'))):
    with h5py.File(name, 'w', libver=libver) as f:
        fill(f, 20)
        many = f.create_group('many', track_order=True)
        for i in range(10):
            many['set%d' % i] = np.int8(i)
            many.attrs['number%d' % i] = i
