# Makes fortran.npy, packed.npz and plain.npz, as NumPy writes them: python3 make_numpy.py (numpy 2.4).
import numpy as np

count = np.arange(24)
np.save('fortran.npy', np.asfortranarray(count.reshape(2, 3, 4).astype('>f4')))
np.savez_compressed('packed.npz', a=count.reshape(4, 6).astype('f4'), b=np.array([True, False]), c=np.float64(0.5))
np.savez('plain.npz', a=count.astype('i8'), e=np.zeros((0, 3), 'f2'))
